#include "gc/plan/decide.h"

struct outcome_choice {
  enum spgc_outcome outcome;
  const char *words;
};

static struct outcome_choice choose_outcome(const struct spgc_situation *situation) {
  if (situation->copies == SPGC_COPIES_REFUSED_BY_LIMIT)
    return (struct outcome_choice){SPGC_COLLECTED_IN_PLACE,
                                   "everything, in place: the limit leaves no room for copies"};
  if (situation->copies == SPGC_COPIES_REFUSED_BY_SYSTEM)
    return (struct outcome_choice){SPGC_COLLECTED_IN_PLACE,
                                   "everything, in place: the system refuses memory for copies"};
  if (situation->moves_all)
    return (struct outcome_choice){SPGC_COLLECTED_FULL, "everything, by copying it: move=always"};
  if (situation->kind == SPGC_COLLECTION_FULL)
    return (struct outcome_choice){SPGC_COLLECTED_FULL,
                                   "everything: it was asked for, or memory is short"};
  return (struct outcome_choice){SPGC_COLLECTED_MINOR, "the nursery: no more was asked for"};
}

struct nursery_choice {
  enum spgc_nursery_plan plan;
  const char *words;
};

static struct nursery_choice choose_nursery(const struct spgc_situation *situation) {
  if (situation->has_born_old)
    return (struct nursery_choice){SPGC_PROMOTE_NURSERY, "promote in place: others were born old"};
  if (situation->is_oversized)
    return (struct nursery_choice){SPGC_PROMOTE_NURSERY,
                                   "promote in place: it is larger than copied nurseries are"};
  if (!situation->expects_survival)
    return (struct nursery_choice){SPGC_COPY_NURSERY, "copy: few are expected to survive"};
  if (!situation->is_half_full)
    return (struct nursery_choice){SPGC_COPY_NURSERY, "copy: the nursery is small"};
  if (!situation->has_headroom)
    return (struct nursery_choice){SPGC_COPY_NURSERY,
                                   "copy: the old space is large, and survivors fill its holes"};
  return (struct nursery_choice){SPGC_PROMOTE_NURSERY,
                                 "promote in place: most of the last samples survived"};
}

struct marking_choice {
  enum spgc_marking_plan plan;
  const char *words;
};

static struct marking_choice choose_marking(const struct spgc_situation *situation) {
  enum spgc_cycle_phase phase = situation->phase;
  if ((phase == SPGC_CYCLE_IDLE || phase == SPGC_CYCLE_SWEEPING) && situation->room_is_short)
    return (struct marking_choice){SPGC_BEGIN_MARKING, "begin a marking: the limit is near"};
  if (phase == SPGC_CYCLE_SWEEPING)
    return (struct marking_choice){SPGC_NO_MARKING, "no marking: the last one is being swept"};
  if (phase == SPGC_CYCLE_IDLE && situation->has_grown)
    return (struct marking_choice){SPGC_BEGIN_MARKING, "begin a marking: the old space has grown"};
  if (phase == SPGC_CYCLE_IDLE)
    return (struct marking_choice){SPGC_NO_MARKING, "no marking: the old space has grown little"};
  if (situation->limit_is_near)
    return (struct marking_choice){SPGC_MAKE_FINAL_MARK, "end the marking: the limit is near"};
  if (phase == SPGC_CYCLE_MARKED)
    return (struct marking_choice){SPGC_TRY_FINAL_MARK, "try a final mark: no step is left"};
  return (struct marking_choice){SPGC_GO_ON_MARKING, "go on marking: steps are left"};
}

/* A scan that marks reads cards, because it must know the objects of the fields. */
static bool reads_stores(const struct spgc_decision *decision) {
  return decision->outcome == SPGC_COLLECTED_MINOR && decision->nursery == SPGC_COPY_NURSERY &&
         decision->marking != SPGC_TRY_FINAL_MARK && decision->marking != SPGC_MAKE_FINAL_MARK;
}

struct spgc_decision spgc_decide(const struct spgc_situation *situation) {
  const struct outcome_choice outcome = choose_outcome(situation);
  struct spgc_decision decision = {.outcome = outcome.outcome, .words = outcome.words};
  if (outcome.outcome == SPGC_COLLECTED_MINOR) {
    const struct nursery_choice nursery = choose_nursery(situation);
    const struct marking_choice marking = choose_marking(situation);
    decision.nursery = nursery.plan, decision.nursery_words = nursery.words;
    decision.marking = marking.plan, decision.marking_words = marking.words;
  }
  decision.reads_stores = reads_stores(&decision);
  return decision;
}
