/* Dominators: node D dominates node N if every path from the root to N leads over D. Then N would
 * be free if D were. The retained size of a node is the size of all that it dominates. */
#ifndef SPGC_TOOLS_HEAP_DOMINATORS_H
#define SPGC_TOOLS_HEAP_DOMINATORS_H

#include "tools/heap/snapshot.h"

/* Reached nodes are known by their place in a depth-first walk here, from 0, the root. */
struct dominators {
  uint32_t count;
  uint32_t *nodes;     /* for each place: its node */
  uint32_t *immediate; /* the place of the dominator nearest to it, a smaller one; 0 for the root */
  uint64_t *retained;  /* bytes */
};

/* Time is almost proportional to the number of edges (Lengauer and Tarjan 1979, with simple
 * linking). Takes 32 bytes for each node and 4 for each edge while it runs, 16 for each node
 * afterwards. */
void dominators_find(struct dominators *dominators, const struct snapshot *snapshot);
void dominators_free(struct dominators *dominators);

/* Adds to sums[c], for each class c, the retained size of its objects, except of those that another
 * one of the class dominates: what would be free without the class. `sums` has an entry for each
 * string. */
void dominators_sum_classes(const struct dominators *dominators, const struct snapshot *snapshot,
                            uint64_t *sums);

#endif
