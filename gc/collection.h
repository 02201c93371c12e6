/* A collection under way: what it did so far, for gc/collect.c, which makes it, and gc/report.c,
 * which tells of it.
 *
 * The outcome is what was asked for until the collection finds that it is another:
 *
 *   MINOR ----> FINAL_MARK   it ended a concurrent marking, too
 *     |
 *     +-------> IN_PLACE     the system refused memory for copies
 *   FULL -----> IN_PLACE
 */
#ifndef SPGC_GC_COLLECTION_H
#define SPGC_GC_COLLECTION_H

#include "gc/pause.h"
#include "gc/trace/evacuate.h"
#include "spgc/stackwalk.h"

enum spgc_nursery_outcome {
  SPGC_NURSERY_COPIED,   /* its survivors were */
  SPGC_NURSERY_PROMOTED, /* in place, as was planned */
  SPGC_NURSERY_ABORTED,  /* the same, because copying passed its deadline and was rolled back */
};

/* Written by the collecting thread alone. */
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
