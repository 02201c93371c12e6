/* The shortest path from the root to each node, over strong edges. */
#ifndef SPGC_TOOLS_HEAP_REACH_H
#define SPGC_TOOLS_HEAP_REACH_H

#include "tools/heap/snapshot.h"

struct reach {
  uint32_t *order; /* reached nodes, nearest first, from the root */
  uint32_t count;
  uint32_t *parents; /* per node: the previous one on its path; the root's is itself, NO_NUMBER if
                      * not reached */
  uint32_t *edges;   /* per node but the root: the edge that reaches it */
};

/* Takes 12 bytes per node. */
void reach_find(struct reach *reach, const struct snapshot *snapshot);
void reach_free(struct reach *reach);

static inline bool is_reached(const struct reach *reach, uint32_t node) {
  return reach->parents[node] != NO_NUMBER;
}

/* The tree of paths, numbered so that the nodes below a node follow it at once. */
struct subtrees {
  uint32_t *first; /* per reached node: its number */
  uint32_t *size;  /* nodes in its subtree, itself included */
};

/* Takes 8 bytes per node. */
void subtrees_number(struct subtrees *subtrees, const struct reach *reach, uint32_t node_count);
void subtrees_free(struct subtrees *subtrees);

/* Whether the path to the reached `node` goes through `above`, or ends there. */
static inline bool path_leads_over(const struct subtrees *subtrees, uint32_t above, uint32_t node) {
  return subtrees->first[node] - subtrees->first[above] < subtrees->size[above];
}

#endif
