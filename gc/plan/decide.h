/* The one place that decides what a collection will be. A collection gathers what is known before
 * anything moves, asks once, and does what it is told; the log prints the words. Two answers come
 * later, because they depend on what the collection finds: whether an attempt at a final mark
 * succeeds (gc/trace/cycle.h), and which blocks are sparse (gc/policy/limit.h). */
#ifndef SPGC_GC_PLAN_DECIDE_H
#define SPGC_GC_PLAN_DECIDE_H

#include "gc/events/events.h"
#include "spgc/heap.h"

/* Whether there is memory for the copies of all that may move. */
enum spgc_copies {
  SPGC_COPIES_GRANTED,
  SPGC_COPIES_REFUSED_BY_LIMIT,
  SPGC_COPIES_REFUSED_BY_SYSTEM,
};

/* Known before the collection. */
struct spgc_situation {
  enum spgc_collection kind; /* requested */
  bool moves_all;            /* move=always */
  enum spgc_copies copies;
  bool has_born_old;     /* objects were born old since the last collection */
  bool expects_survival; /* of the nursery, by the last samples */
  bool is_oversized;     /* the nursery was sized for promotion, and copying takes too long */
  bool is_half_full;     /* half of the largest copied size: copying less within a short pause is
                            possible anyway */
  bool has_headroom;     /* the old space may grow without markings that come too often */
  enum spgc_cycle_phase phase;
  bool has_grown;     /* the next cycle of the old space is due */
  bool room_is_short; /* it is due even if the last one is still sweeping */
  bool limit_is_near; /* it admits little more of a nursery */
};

enum spgc_nursery_plan {
  SPGC_COPY_NURSERY,    /* copy the survivors */
  SPGC_PROMOTE_NURSERY, /* relabel the blocks in place, without tracing */
};

/* What a minor collection does for the marking of the old space. */
enum spgc_marking_plan {
  SPGC_NO_MARKING,      /* none is in progress, and none begins */
  SPGC_BEGIN_MARKING,   /* begin one from the roots */
  SPGC_GO_ON_MARKING,   /* mark survivors, and leave the rest to steps */
  SPGC_TRY_FINAL_MARK,  /* end it if little is left to mark */
  SPGC_MAKE_FINAL_MARK, /* end it, because memory is short */
};

struct spgc_decision {
  enum spgc_outcome outcome; /* MINOR, FULL or IN_PLACE */
  const char *words;         /* for the log, like the next two */
  enum spgc_nursery_plan nursery;
  const char *nursery_words; /* this and the next two are of a minor collection; or NULL */
  enum spgc_marking_plan marking;
  const char *marking_words;
  bool reads_stores; /* fields in store buffers are scanned; otherwise the buffers are flushed
                        first, and everything is read from cards */
};

struct spgc_decision spgc_decide(const struct spgc_situation *situation);

#endif
