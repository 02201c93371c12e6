/* A collection under way: gc/plan/collect.c writes it, gc/plan/report.c reports it.
 *
 * The outcome begins as the kind that was requested, and may change:
 *
 *   MINOR ----> FINAL_MARK   it also ended a concurrent marking
 *     |
 *     +-------> IN_PLACE     the limit or the system leaves no room for copies
 *   FULL -----> IN_PLACE
 */
#ifndef SPGC_GC_PLAN_COLLECTION_H
#define SPGC_GC_PLAN_COLLECTION_H

#include "gc/plan/pause.h"
#include "gc/trace/evacuate.h"
#include "spgc/stackwalk.h"

/* Written by the collecting thread. */
struct collection {
  uint64_t number; /* since spgc_start, from 1 */
  uint64_t thread; /* that collects */
  enum spgc_reason reason;
  enum spgc_collection kind; /* asked for */
  enum spgc_outcome outcome;
  enum spgc_nursery_outcome nursery;
  bool speculated;        /* copying had a deadline */
  uint32_t blocks_before; /* in use when it began */
  size_t young_bytes;     /* of small objects */
  size_t promoted_bytes;  /* that became old */
  size_t condemned_bytes; /* of small objects, old ones included */
  struct spgc_pause pause;
  struct spgc_evacuation evacuation;
  struct spgc_walk_counts walk;
};

#endif
