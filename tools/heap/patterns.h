/* Paths that differ only in repetitions and indices have one pattern: a previous pattern, an edge's
 * label (one for all indices), and the class that it leads to. An edge to an object of its owner's
 * class does not extend the pattern, so all cells of a list have the first one's. Nor does a
 * repeated pair of classes, so nested tables of entries have one pattern. */
#ifndef SPGC_TOOLS_HEAP_PATTERNS_H
#define SPGC_TOOLS_HEAP_PATTERNS_H

#include "tools/heap/reach.h"

struct pattern {
  uint32_t before; /* the root's is itself */
  uint32_t label;  /* a string, or NO_NUMBER for an index */
  uint32_t class;
};

struct patterns {
  struct pattern *all; /* the root's is first */
  uint32_t count;
  size_t capacity;
  struct spgc_hash_index index;
  uint32_t *of_nodes; /* per node: its shortest path's */
};

/* Takes 4 bytes per node, and little per pattern. */
void patterns_find(struct patterns *patterns, const struct snapshot *snapshot,
                   const struct reach *reach);

uint32_t patterns_over(struct patterns *patterns, const struct snapshot *snapshot, uint32_t source,
                       uint32_t edge);

void patterns_free(struct patterns *patterns);

#endif
