/* Decides what a collection will be, before anything moves, except whether a final mark succeeds
 * (gc/trace/cycle.h), and which blocks are sparse (gc/policy/limit.h). */
#ifndef SPGC_GC_PLAN_DECIDE_H
#define SPGC_GC_PLAN_DECIDE_H

#include "gc/events/events.h"
#include "spgc/heap.h"

/* Memory for the copies of everything that may move. */
enum spgc_copies {
  SPGC_COPIES_GRANTED,
  SPGC_COPIES_REFUSED_BY_LIMIT,
  SPGC_COPIES_REFUSED_BY_SYSTEM,
};

struct spgc_situation {
  enum spgc_collection kind; /* requested */
  bool moves_all;
  enum spgc_copies copies;
  bool has_born_old;     /* since the last collection */
  bool expects_survival; /* the nursery's survival, by the last samples */
  bool is_oversized;     /* sized for promotion; copying takes too long */
  bool is_half_full;     /* of the largest copied size */
  bool has_headroom;     /* the old space may grow */
  enum spgc_cycle_phase phase;
  bool has_grown;     /* the next cycle is due */
  bool room_is_short; /* even during the last cycle's sweep */
  bool limit_is_near; /* it admits little more of a nursery */
};

enum spgc_nursery_plan {
  SPGC_COPY_NURSERY,
  SPGC_PROMOTE_NURSERY, /* relabel the blocks, without tracing */
};

/* For the old space, in a minor collection. */
enum spgc_marking_plan {
  SPGC_NO_MARKING,
  SPGC_BEGIN_MARKING,
  SPGC_CONTINUE_MARKING, /* mark survivors, and leave the rest to steps */
  SPGC_TRY_FINAL_MARK,   /* end the marking if little is left */
  SPGC_MAKE_FINAL_MARK,  /* end the marking: memory is short */
};

struct spgc_decision {
  enum spgc_outcome outcome;
  const char *words;
  enum spgc_nursery_plan nursery;
  const char *nursery_words; /* of a minor collection; or NULL */
  enum spgc_marking_plan marking;
  const char *marking_words;
  bool reads_stores; /* else flush the store buffers, and read cards */
};

struct spgc_decision spgc_decide(const struct spgc_situation *situation);

#endif
