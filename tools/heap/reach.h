/* The shortest path from the root to each node, over strong edges: a breadth-first search. */
#ifndef SPGC_TOOLS_HEAP_REACH_H
#define SPGC_TOOLS_HEAP_REACH_H

#include "tools/heap/snapshot.h"

struct reach {
  uint32_t *order;   /* the nodes reached, nearest first; the root is the first */
  uint32_t count;    /* of them */
  uint32_t *parents; /* for each node: the one before it on its path; the root's own for the root,
                        NO_NUMBER for a node that is not reached */
  uint32_t *edges;   /* for each node but the root: the edge by which it is reached */
};

/* Takes 12 bytes for each node. */
void reach_find(struct reach *reach, const struct snapshot *snapshot);
void reach_free(struct reach *reach);

static inline bool is_reached(const struct reach *reach, uint32_t node) {
  return reach->parents[node] != NO_NUMBER;
}

/* The tree of paths, by the numbers of a walk in which each node comes before those below it, and
 * those below it follow at once. */
struct subtrees {
  uint32_t *first; /* for each node that is reached: its number */
  uint32_t *size;  /* of the tree below it, with itself */
};

/* Takes 8 bytes for each node. */
void subtrees_number(struct subtrees *subtrees, const struct reach *reach, uint32_t node_count);
void subtrees_free(struct subtrees *subtrees);

/* Whether the path to `node`, which is reached, leads over `above`, or ends there. */
static inline bool path_leads_over(const struct subtrees *subtrees, uint32_t above, uint32_t node) {
  return subtrees->first[node] - subtrees->first[above] < subtrees->size[above];
}

#endif
