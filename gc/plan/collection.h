/* A collection in progress, the plans that carry it out, and the phases that plans share.
 *
 * The outcome begins as the kind that was requested, and may change:
 *
 *   MINOR ----> FINAL_MARK   it also ended a concurrent marking
 *     |
 *     +-------> IN_PLACE     the limit or the system leaves no room for copies
 *   FULL -----> IN_PLACE */
#ifndef SPGC_GC_PLAN_COLLECTION_H
#define SPGC_GC_PLAN_COLLECTION_H

#include "gc/plan/decide.h"
#include "gc/plan/pause.h"
#include "gc/policy/compaction.h"
#include "gc/roots/roots.h"
#include "gc/trace/evacuate.h"
#include "spgc/stackwalk.h"

/* Written by the collecting thread. */
struct collection {
  uint64_t number; /* since spgc_start, from 1 */
  uint64_t thread; /* the collecting thread's number */
  enum spgc_reason reason;
  enum spgc_collection kind; /* requested */
  enum spgc_outcome outcome;
  enum spgc_nursery_outcome nursery;
  struct spgc_decision decision;
  uint32_t blocks_before; /* in use at the beginning */
  size_t young_bytes;     /* of small objects */
  size_t born_old_bytes;  /* in holes that mutators used: their objects were born old */
  size_t promoted_bytes;  /* that became old */
  size_t condemned_bytes; /* of small objects, including old ones */
  struct spgc_parallelism
      parallelism; /* memory is prepared for this many workers of the evacuation */
  struct spgc_pause pause;
  struct spgc_evacuation evacuation;
  struct spgc_walk_counts walk;
  struct spgc_compacted compacted; /* by its compaction, which is part of the evacuation */
  uint64_t other_roots;            /* visited outside frames */
};

static inline bool spgc_outcome_is_full(enum spgc_outcome outcome) {
  return outcome == SPGC_COLLECTED_FULL || outcome == SPGC_COLLECTED_IN_PLACE;
}

/* ---- The plans ---- */

/* gc/plan/minor.c: the nursery, and the pause's part of the marking in progress. */
void spgc_collect_minor(struct spgc_stopped_world world, struct collection *collection);

/* gc/plan/full.c: everything; or, under move=always, everything by copying it. */
void spgc_collect_full(struct spgc_stopped_world world, struct collection *collection);
void spgc_collect_moving_all(struct spgc_stopped_world world, struct collection *collection);

/* gc/plan/in_place.c: everything, without more memory. */
void spgc_collect_in_place(struct spgc_stopped_world world, struct collection *collection);

/* ---- Phases ---- */

/* gc/plan/collect.c: prepares stacks, and blocks for PLABs in addition to `copies` blocks, for the
 * other workers of an evacuation. */
void spgc_phases_prepare_workers(struct collection *collection, size_t copies);

/* gc/plan/collect.c: everything between the beginning of an evacuation and its end. `scan_others`
 * scans the old objects that may refer to condemned ones; NULL if every object is condemned. */
void spgc_phases_evacuate(struct spgc_stopped_world world, enum spgc_frames frames,
                          struct collection *collection,
                          void (*scan_others)(struct spgc_evacuation *evacuation));

/* gc/plan/collect.c: ends a marking whose roots and cards were visited with the marker. Nothing is
 * young. */
void spgc_phases_end_marking(struct collection *collection, bool keeps_marks);

/* gc/plan/full.c: evacuates condemned old blocks, of which `bytes` move, after a marking, also into
 * holes of `recyclable` blocks. If marks are kept, the copies are marked, because everything
 * reachable is. */
void spgc_phases_vacate(struct spgc_stopped_world world, struct collection *collection,
                        size_t bytes, struct spgc_block_range recyclable,
                        void (*scan_others)(struct spgc_evacuation *evacuation));

/* gc/plan/full.c: marks everything from the roots, and sweeps. Then vacates sparse old blocks.
 * Nothing is young. */
void spgc_phases_mark_and_sweep(struct spgc_stopped_world world, struct collection *collection);
void spgc_phases_make_room(struct spgc_stopped_world world, struct collection *collection);

/* Blocks that copies may take now. */
size_t spgc_free_for_copies(void);

/* gc/plan/rootless.c: at the first collection that finds objects and was not requested by a call,
 * reports if there is no root at all, because then the program's code was not lowered. */
void spgc_tell_if_rootless(struct spgc_stopped_world world, const struct collection *collection);

/* gc/plan/verify.c: under verify=full, aborts if the heap or the roots are inconsistent. `when` is
 * "before" or "after" and completes "... the collection". */
void spgc_verify_if_asked(struct spgc_stopped_world world, const char *when);

/* gc/plan/report.c: ends the pause, counts the collection in the statistics, and calls the
 * listeners. */
void spgc_report(struct collection *collection);

#endif
