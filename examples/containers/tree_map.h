/* An ordered map from numbers to objects: a left-leaning red-black tree. Managed C: include it
 * first. */
#ifndef TREE_MAP_H
#define TREE_MAP_H

#include "spgc/managed.h"

struct node {
  const struct spgc_type *type;
  struct node SPGC_MANAGED *left, *right; /* both are references */
  void SPGC_MANAGED *value;
  int64_t key;
  bool is_red;
};
typedef struct node SPGC_MANAGED *node;

/* Returns the new tree. The empty tree is null. */
node tree_set(node tree, int64_t key, void SPGC_MANAGED *value);

/* Null without the key. */
void SPGC_MANAGED *tree_get(node tree, int64_t key);

/* Returns the new tree. The key need not be there. */
node tree_remove(node tree, int64_t key);

/* The first node, and the one after a key, which need not be there; null if there is none. They
 * visit all nodes in order, also while keys are set and removed:
 *
 *   for (node at = tree_first(tree); at; at = tree_after(tree, at->key)) */
node tree_first(node tree);
node tree_after(node tree, int64_t key);

/* The number of black nodes on each path, or -1 if it is not a red-black tree with keys from
 * `least` to `most`. */
int tree_check(node tree, int64_t least, int64_t most);

#endif
