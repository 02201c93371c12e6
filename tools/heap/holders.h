#ifndef SPGC_TOOLS_HEAP_HOLDERS_H
#define SPGC_TOOLS_HEAP_HOLDERS_H

#include "tools/heap/patterns.h"

struct holder {
  uint32_t pattern;
  uint32_t objects; /* the number that it holds; an object may have several holders */
  uint64_t bytes;
  uint32_t source, edge; /* the last edge of its shortest path; `source` is reached */
  uint32_t distance;     /* the source's, in search order */
  uint32_t last;
};

struct holders {
  struct holder *all; /* most objects first */
  uint32_t count;
  uint32_t objects, reached_objects; /* the set's */
  uint64_t bytes, reached_bytes;
};

typedef bool holders_select(const struct snapshot *snapshot, uint32_t node, const void *context);

/* Considers each edge to an object of the set, unless the edge's shortest path goes through the
 * object itself. */
void holders_find(struct holders *holders, const struct snapshot *snapshot,
                  const struct reach *reach, struct patterns *patterns, holders_select *select,
                  const void *context);
void holders_free(struct holders *holders);

#endif
