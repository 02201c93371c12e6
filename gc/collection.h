/* A collection under way: gc/collect.c writes it, gc/report.c reports it.
 *
 * The outcome begins as the kind that was requested, and may change:
 *
 *   MINOR ----> FINAL_MARK   it also ended a concurrent marking
 *     |
 *     +-------> IN_PLACE     the limit or the system leaves no room for copies
 *   FULL -----> IN_PLACE
 */
#ifndef SPGC_GC_COLLECTION_H
#define SPGC_GC_COLLECTION_H

#include "gc/pause.h"
#include "gc/trace/evacuate.h"
#include "spgc/stackwalk.h"

/* The outcome for the nursery. */
enum spgc_nursery_outcome {
  SPGC_NURSERY_COPIED,   /* survivors were copied */
  SPGC_NURSERY_PROMOTED, /* promoted in place, as planned */
  SPGC_NURSERY_ABORTED,  /* promoted in place, because copying passed its deadline and was rolled
                            back */
};

/* Written by the collecting thread. */
struct collection {
  enum spgc_outcome outcome;
  enum spgc_nursery_outcome nursery;
  bool speculated;        /* copying had a deadline */
  uint32_t blocks_before; /* in use when it began */
  size_t young_bytes;     /* of small objects */
  size_t condemned_bytes; /* of small objects, old ones included */
  struct spgc_pause pause;
  struct spgc_evacuation evacuation;
  struct spgc_walk_counts walk;
};

#endif
