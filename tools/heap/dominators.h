/* D dominates N if every path from the root to N goes through D. All nodes that a node dominates
 * make its retained size. */
#ifndef SPGC_TOOLS_HEAP_DOMINATORS_H
#define SPGC_TOOLS_HEAP_DOMINATORS_H

#include "tools/heap/snapshot.h"

/* Reached nodes are identified by their place in a depth-first walk; the root is 0. */
struct dominators {
  uint32_t count;
  uint32_t *nodes;     /* indexed by place */
  uint32_t *immediate; /* the nearest, a smaller place; 0 for the root */
  uint64_t *retained;  /* bytes */
};

/* Takes time almost proportional to the edges (Lengauer and Tarjan 1979, with simple linking), and
 * 32 bytes per node and 4 per edge while it runs, 16 per node afterwards. */
void dominators_find(struct dominators *dominators, const struct snapshot *snapshot);
void dominators_free(struct dominators *dominators);

/* Adds to sums[c] the retained size of the objects of class c that no other of the class dominates:
 * the memory that would be free without the class. `sums` has an entry for each string. */
void dominators_sum_classes(const struct dominators *dominators, const struct snapshot *snapshot,
                            uint64_t *sums);

#endif
