/* A search tree of address ranges, in which each node also knows the greatest value below it: a
 * treap (Seidel, Aragon: Randomized Search Trees, 1996) whose priorities are hashes of the keys, so
 * that its depth is logarithmic whatever the order of insertions.
 *
 * Nodes are embedded in the caller's structures. An edit changes them in place, or, if it has a
 * `node_bytes`, leaves them to concurrent readers: then it copies each node that it would change,
 * and the caller publishes the new root. The originals are listed in `replaced` until no reader
 * uses them.
 */
#ifndef SPGC_SUPPORT_ADDRESS_TREE_H
#define SPGC_SUPPORT_ADDRESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ordered by key, then by identity; no two nodes of a tree have both in common. */
struct address_node {
  uintptr_t key, identity;
  uintptr_t value; /* the end of the range */
  uintptr_t most;  /* the greatest value in the subtree */
  struct address_node *left, *right;
  struct address_node *older; /* in `spare` and `replaced`: the next one */
};

/* A series of changes by one writer. */
struct address_edit {
  struct address_node *root;
  size_t node_bytes;             /* of the structure that begins with a node; 0: change in place */
  struct address_node *spare;    /* for copies */
  struct address_node *replaced; /* readers may use them */
  size_t replaced_count;
};

/* Allocates what an insertion or removal under this key copies. False if there is no memory. Does
 * nothing for changes in place. */
bool spgc_address_tree_reserve(struct address_edit *edit, uintptr_t key, uintptr_t identity);

/* Both need a reserve. `removed` takes part in the tree; of copied trees it is among `replaced`. */
void spgc_address_tree_insert(struct address_edit *edit, struct address_node *added);
void spgc_address_tree_remove(struct address_edit *edit, const struct address_node *removed);

/* Frees a list of copies. */
void spgc_address_tree_free(struct address_node *list);

/* The last node whose key is at most this; NULL if there is none. */
struct address_node *spgc_address_tree_before(struct address_node *root, uintptr_t key);

/* The node with this key and identity, or NULL. */
struct address_node *spgc_address_tree_find(struct address_node *root, uintptr_t key,
                                            uintptr_t identity);

typedef bool address_visitor(void *context, struct address_node *node);

/* Of trees whose values are the last addresses of ranges: visits the ranges that meet
 * [low, high], the last one first, until the visitor returns true. Returns whether it did. */
bool spgc_address_tree_meet(struct address_node *root, uintptr_t low, uintptr_t high,
                            address_visitor *visit, void *context);

/* Visits all nodes in order, until the visitor returns true. Returns whether it did. */
bool spgc_address_tree_each(struct address_node *root, address_visitor *visit, void *context);

#endif
