#include "gc/plan/decide.h"

struct choice {
  int what;
  const char *words;
};

static struct choice choose_outcome(const struct spgc_situation *situation) {
  if (situation->copies == SPGC_COPIES_REFUSED_BY_LIMIT)
    return (struct choice){SPGC_COLLECTED_IN_PLACE,
                           "everything, in place: the limit leaves no room for copies"};
  if (situation->copies == SPGC_COPIES_REFUSED_BY_SYSTEM)
    return (struct choice){SPGC_COLLECTED_IN_PLACE,
                           "everything, in place: the system refuses memory for copies"};
  if (situation->moves_all)
    return (struct choice){SPGC_COLLECTED_FULL, "everything, by copying it: move=always"};
  if (situation->kind == SPGC_COLLECTION_FULL)
    return (struct choice){SPGC_COLLECTED_FULL, "everything: requested, or memory is short"};
  return (struct choice){SPGC_COLLECTED_MINOR, "the nursery: nothing more was requested"};
}

static struct choice choose_nursery(const struct spgc_situation *situation) {
  if (situation->has_born_old)
    return (struct choice){SPGC_PROMOTE_NURSERY,
                           "promote in place: objects were born old since the last collection"};
  if (situation->is_oversized)
    return (struct choice){SPGC_PROMOTE_NURSERY,
                           "promote in place: the nursery is too large to copy"};
  if (!situation->expects_survival)
    return (struct choice){SPGC_COPY_NURSERY, "copy: few objects are expected to survive"};
  if (!situation->is_half_full)
    return (struct choice){SPGC_COPY_NURSERY, "copy: the nursery is small"};
  if (!situation->has_headroom)
    return (struct choice){SPGC_COPY_NURSERY,
                           "copy: the old space is large, so survivors fill its holes"};
  return (struct choice){SPGC_PROMOTE_NURSERY,
                         "promote in place: most objects are expected to survive"};
}

static struct choice choose_marking(const struct spgc_situation *situation) {
  enum spgc_cycle_phase phase = situation->phase;
  if ((phase == SPGC_CYCLE_IDLE || phase == SPGC_CYCLE_SWEEPING) && situation->room_is_short)
    return (struct choice){SPGC_BEGIN_MARKING, "begin a marking: the limit is near"};
  if (phase == SPGC_CYCLE_SWEEPING)
    return (struct choice){SPGC_NO_MARKING,
                           "no marking: the sweep after the last one is not finished"};
  if (phase == SPGC_CYCLE_IDLE && situation->has_grown)
    return (struct choice){SPGC_BEGIN_MARKING, "begin a marking: the old space has grown"};
  if (phase == SPGC_CYCLE_IDLE)
    return (struct choice){SPGC_NO_MARKING, "no marking: the old space has hardly grown"};
  if (situation->limit_is_near)
    return (struct choice){SPGC_MAKE_FINAL_MARK, "end the marking: the limit is near"};
  if (phase == SPGC_CYCLE_MARKED)
    return (struct choice){SPGC_TRY_FINAL_MARK, "try to end the marking: all steps are done"};
  return (struct choice){SPGC_CONTINUE_MARKING, "continue the marking: not all steps are done"};
}

/* Marking reads cards, because it needs the fields' objects. */
static bool reads_stores(const struct spgc_decision *decision) {
  return decision->outcome == SPGC_COLLECTED_MINOR && decision->nursery == SPGC_COPY_NURSERY &&
         decision->marking != SPGC_TRY_FINAL_MARK && decision->marking != SPGC_MAKE_FINAL_MARK;
}

struct spgc_decision spgc_decide(const struct spgc_situation *situation) {
  const struct choice outcome = choose_outcome(situation);
  struct spgc_decision decision = {.outcome = (enum spgc_outcome)outcome.what,
                                   .words = outcome.words};
  if (decision.outcome == SPGC_COLLECTED_MINOR) {
    const struct choice nursery = choose_nursery(situation);
    const struct choice marking = choose_marking(situation);
    decision.nursery = (enum spgc_nursery_plan)nursery.what;
    decision.nursery_words = nursery.words;
    decision.marking = (enum spgc_marking_plan)marking.what;
    decision.marking_words = marking.words;
  }
  decision.reads_stores = reads_stores(&decision);
  return decision;
}
