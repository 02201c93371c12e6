/* A pause: how long a collection lasts, and what its time goes to.
 *
 *   asked ---- stopped ------------------------------------------------------ end
 *        STOP          HOLD | PREPARE | PROMOTE | ROOTS | CARDS | COPY | ... (spgc_pause_enter)
 *
 * The parts add up to the time from the request to the end; the pause is what follows the stop. A
 * second collection of one stop is a pause of its own.
 */
#ifndef SPGC_GC_PAUSE_H
#define SPGC_GC_PAUSE_H

#include <stddef.h>

#include "gc/mutator/world.h"
#include "spgc/heap.h"

enum spgc_pause_part {
  SPGC_PAUSE_STOP,    /* until the last mutator was at a safepoint */
  SPGC_PAUSE_HOLD,    /* until the thread that marks had ended its step */
  SPGC_PAUSE_PREPARE, /* getting blocks for the copies; beginning a marking */
  SPGC_PAUSE_PROMOTE, /* in-place promotion, with the crossing maps it populates */
  SPGC_PAUSE_ROOTS,
  SPGC_PAUSE_CARDS,  /* scanning old objects that may refer to condemned ones: those on dirty cards
                      */
  SPGC_PAUSE_COPY,   /* what survives */
  SPGC_PAUSE_WEAK,   /* deciding over what was not reached */
  SPGC_PAUSE_FREE,   /* what was condemned; sweeping what a full collection must */
  SPGC_PAUSE_MARK,   /* what roots and cards do not mark */
  SPGC_PAUSE_POLICY, /* the policies' decisions; giving memory back */
  SPGC_PAUSE_VERIFY,
  SPGC_PAUSE_PARTS,
};

/* Written by the collecting thread. */
struct spgc_pause {
  uint64_t stop_ns;  /* how long the stop took */
  uint64_t begun_ns; /* by CLOCK_MONOTONIC */
  uint64_t since_ns; /* when `part` was entered */
  enum spgc_pause_part part;
  uint64_t part_ns[SPGC_PAUSE_PARTS];
};

/* What a collection was in the end. */
enum spgc_outcome {
  SPGC_COLLECTED_MINOR,      /* the nursery was collected, the old space not */
  SPGC_COLLECTED_FINAL_MARK, /* the same, and a concurrent marking ended: dead old objects are known
                              */
  SPGC_COLLECTED_FULL,       /* everything was collected with the world stopped */
  SPGC_COLLECTED_IN_PLACE,   /* the same, without copying: the system refused memory for copies */
};

static inline bool spgc_outcome_is_full(enum spgc_outcome outcome) {
  return outcome == SPGC_COLLECTED_FULL || outcome == SPGC_COLLECTED_IN_PLACE;
}

void spgc_pause_begin(struct spgc_pause *pause, struct spgc_stopped_world world);

/* What is done from now on belongs to `part`. */
void spgc_pause_enter(struct spgc_pause *pause, enum spgc_pause_part part);

/* When the pause will have taken `ns`, by spgc_clock_ns; what others were waited for is not
 * counted. */
static inline uint64_t spgc_pause_deadline(const struct spgc_pause *pause, uint64_t ns) {
  return pause->begun_ns + pause->part_ns[SPGC_PAUSE_HOLD] + pause->part_ns[SPGC_PAUSE_VERIFY] + ns;
}

/* Moves `ns` of the parts' times from one to another: of work that alternates between them. */
void spgc_pause_transfer(struct spgc_pause *pause, enum spgc_pause_part from,
                         enum spgc_pause_part to, uint64_t ns);

/* What the collection itself took until now: neither waiting for others nor verification.
 * Verification has not begun again. */
uint64_t spgc_pause_work_ns(const struct spgc_pause *pause);

/* Ends the pause and enters it in the statistics. Returns its length. */
uint64_t spgc_pause_end(struct spgc_pause *pause, enum spgc_outcome outcome,
                        struct spgc_statistics *statistics);

/* Of a pause that has ended: its parts in words, those of at least a microsecond. `text` has room
 * for `size` bytes. */
void spgc_pause_describe(const struct spgc_pause *pause, char *text, size_t size);

#endif
