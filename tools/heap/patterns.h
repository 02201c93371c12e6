/* Patterns of paths: what paths have in common that differ only in repetitions and indices.
 *
 * A pattern is a pattern before it, the label of an edge (all indices are one label), and the class
 * that the edge leads to. An edge to an object of the same class as its owner does not go on, so
 * that all cells of a list have the pattern of the first. Nor does a pair of classes that was there
 * before: a map of tables of entries of tables has one pattern for the inner tables.
 */
#ifndef SPGC_TOOLS_HEAP_PATTERNS_H
#define SPGC_TOOLS_HEAP_PATTERNS_H

#include "tools/heap/reach.h"

struct pattern {
  uint32_t before; /* the root's own for the root */
  uint32_t label;  /* a string, or NO_NUMBER for an index */
  uint32_t class;
};

struct patterns {
  struct pattern *all; /* the root's is the first */
  uint32_t count;
  size_t capacity;
  struct spgc_hash_index index;
  uint32_t *of_nodes; /* the pattern of the shortest path to each node that is reached */
};

/* Finds the patterns of all nodes. Takes 4 bytes for each node, and little for each pattern. */
void patterns_find(struct patterns *patterns, const struct snapshot *snapshot,
                   const struct reach *reach);

/* The pattern of the path to `source`, and from there over `edge`. */
uint32_t patterns_over(struct patterns *patterns, const struct snapshot *snapshot, uint32_t source,
                       uint32_t edge);

void patterns_free(struct patterns *patterns);

#endif
