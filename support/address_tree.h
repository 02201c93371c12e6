/* A search tree of address ranges, in which each node also knows the greatest value below it: a
 * treap (Seidel, Aragon: Randomized Search Trees, 1996) with hashes of the keys as priorities, so
 * its depth is logarithmic in any order of insertions.
 *
 * Nodes are embedded in the caller's structures. An edit changes them in place or, with a
 * `node_bytes`, copies each node that it would change, for concurrent readers. The caller then
 * publishes the new root. The originals are in `replaced` until no reader uses them. */
#ifndef SPGC_SUPPORT_ADDRESS_TREE_H
#define SPGC_SUPPORT_ADDRESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ordered by key, then by identity; no two nodes share both. */
struct address_node {
  uintptr_t key, identity;
  uintptr_t value; /* the range's */
  uintptr_t most;
  struct address_node *left, *right;
  struct address_node *older; /* the next in `spare` or `replaced` */
};

/* A series of changes by one writer. */
struct address_edit {
  struct address_node *root;
  size_t node_bytes; /* of structures that begin with a node; 0: changes are in place */
  struct address_node *spare;
  struct address_node *replaced; /* readers may use them */
  size_t spare_count, replaced_count;
};

/* Prepares an edit under this key of a copied tree: at least `least` nodes are spare. */
bool spgc_address_tree_reserve(struct address_edit *edit, uintptr_t key, uintptr_t identity,
                               size_t least);

/* After a reserve. `removed` is then free, or in a copied tree among `replaced`. */
void spgc_address_tree_insert(struct address_edit *edit, struct address_node *added);
void spgc_address_tree_remove(struct address_edit *edit, const struct address_node *removed);

/* Readers must not use replaced nodes any more. Up to `most` become spare; the rest are freed. */
void spgc_address_tree_reuse(struct address_edit *edit, size_t most);

/* The last node with at most this key, or NULL. */
struct address_node *spgc_address_tree_before(struct address_node *root, uintptr_t key);

struct address_node *spgc_address_tree_find(struct address_node *root, uintptr_t key,
                                            uintptr_t identity);

typedef bool address_visitor(void *context, struct address_node *node);

/* If values are last addresses: visits ranges that overlap [low, high], the last one first, until
 * the visitor returns true. */
bool spgc_address_tree_meet(struct address_node *root, uintptr_t low, uintptr_t high,
                            address_visitor *visit, void *context);

/* In order, until the visitor returns true. */
bool spgc_address_tree_each(struct address_node *root, address_visitor *visit, void *context);

#endif
