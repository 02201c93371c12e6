/* What holds the objects of a set: for each pattern of paths to them, how many it holds. */
#ifndef SPGC_TOOLS_HEAP_HOLDERS_H
#define SPGC_TOOLS_HEAP_HOLDERS_H

#include "tools/heap/patterns.h"

/* A pattern of paths to objects of the set. */
struct holder {
  uint32_t pattern;
  uint32_t objects; /* that it holds: an object may be held by several */
  uint64_t bytes;
  uint32_t source, edge; /* the last edge of the shortest of its paths; `source` is reached */
  uint32_t distance;     /* of `source`: its place in the order of the search */
  uint32_t last;         /* the object that was counted last */
};

struct holders {
  struct holder *all; /* those that hold most objects first */
  uint32_t count;
  uint32_t objects, reached_objects; /* of the set */
  uint64_t bytes, reached_bytes;
};

/* Whether a node is in the set. */
typedef bool holders_select(const struct snapshot *snapshot, uint32_t node, const void *context);

/* Considers each edge to an object of the set, except those whose shortest path leads over the
 * object itself. */
void holders_find(struct holders *holders, const struct snapshot *snapshot,
                  const struct reach *reach, struct patterns *patterns, holders_select *select,
                  const void *context);
void holders_free(struct holders *holders);

#endif
