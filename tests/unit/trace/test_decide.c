/* Every situation, by tables whose first fitting row decides. */
#include "gc/plan/decide.h"

#include "tests/support/check_main.h"

enum { ANY = -1 }; /* in a row: whatever the situation says */

struct outcome_row {
  int copies, moves_all, kind;
  enum spgc_outcome outcome;
  const char *words;
};

static const struct outcome_row outcomes[] = {
    {SPGC_COPIES_REFUSED_BY_LIMIT, ANY, ANY, SPGC_COLLECTED_IN_PLACE,
     "everything, in place: the limit leaves no room for copies"},
    {SPGC_COPIES_REFUSED_BY_SYSTEM, ANY, ANY, SPGC_COLLECTED_IN_PLACE,
     "everything, in place: the system refuses memory for copies"},
    {ANY, true, ANY, SPGC_COLLECTED_FULL, "everything, by copying it: move=always"},
    {ANY, ANY, SPGC_COLLECTION_FULL, SPGC_COLLECTED_FULL,
     "everything: requested, or memory is short"},
    {ANY, ANY, ANY, SPGC_COLLECTED_MINOR, "the nursery: nothing more was requested"},
};

struct nursery_row {
  int has_born_old, is_oversized, expects_survival, is_half_full, has_headroom;
  enum spgc_nursery_plan plan;
  const char *words;
};

static const struct nursery_row nurseries[] = {
    {true, ANY, ANY, ANY, ANY, SPGC_PROMOTE_NURSERY,
     "promote in place: objects were born old since the last collection"},
    {ANY, true, ANY, ANY, ANY, SPGC_PROMOTE_NURSERY,
     "promote in place: the nursery is too large to copy"},
    {ANY, ANY, false, ANY, ANY, SPGC_COPY_NURSERY, "copy: few objects are expected to survive"},
    {ANY, ANY, ANY, false, ANY, SPGC_COPY_NURSERY, "copy: the nursery is small"},
    {ANY, ANY, ANY, ANY, false, SPGC_COPY_NURSERY,
     "copy: the old space is large, so survivors fill its holes"},
    {ANY, ANY, ANY, ANY, ANY, SPGC_PROMOTE_NURSERY,
     "promote in place: most objects are expected to survive"},
};

struct marking_row {
  int phase, room_is_short, has_grown, limit_is_near;
  enum spgc_marking_plan plan;
  const char *words;
};

static const struct marking_row markings[] = {
    {SPGC_CYCLE_IDLE, true, ANY, ANY, SPGC_BEGIN_MARKING, "begin a marking: the limit is near"},
    {SPGC_CYCLE_SWEEPING, true, ANY, ANY, SPGC_BEGIN_MARKING, "begin a marking: the limit is near"},
    {SPGC_CYCLE_IDLE, ANY, true, ANY, SPGC_BEGIN_MARKING,
     "begin a marking: the old space has grown"},
    {SPGC_CYCLE_IDLE, ANY, false, ANY, SPGC_NO_MARKING,
     "no marking: the old space has hardly grown"},
    {SPGC_CYCLE_SWEEPING, ANY, ANY, ANY, SPGC_NO_MARKING,
     "no marking: the sweep after the last one is not finished"},
    {ANY, ANY, ANY, true, SPGC_MAKE_FINAL_MARK, "end the marking: the limit is near"},
    {SPGC_CYCLE_MARKING, ANY, ANY, ANY, SPGC_CONTINUE_MARKING,
     "continue the marking: not all steps are done"},
    {SPGC_CYCLE_MARKED, ANY, ANY, ANY, SPGC_TRY_FINAL_MARK,
     "try to end the marking: all steps are done"},
};

static bool fits(int row, int fact) {
  return row == ANY || row == fact;
}

static const struct outcome_row *outcome_in(const struct spgc_situation *situation) {
  const struct outcome_row *row = outcomes;
  while (!fits(row->copies, (int)situation->copies) ||
         !fits(row->moves_all, situation->moves_all) || !fits(row->kind, (int)situation->kind))
    row++;
  return row;
}

static const struct nursery_row *nursery_in(const struct spgc_situation *situation) {
  const struct nursery_row *row = nurseries;
  while (!fits(row->has_born_old, situation->has_born_old) ||
         !fits(row->is_oversized, situation->is_oversized) ||
         !fits(row->expects_survival, situation->expects_survival) ||
         !fits(row->is_half_full, situation->is_half_full) ||
         !fits(row->has_headroom, situation->has_headroom))
    row++;
  return row;
}

static const struct marking_row *marking_in(const struct spgc_situation *situation) {
  const struct marking_row *row = markings;
  while (!fits(row->phase, (int)situation->phase) ||
         !fits(row->room_is_short, situation->room_is_short) ||
         !fits(row->has_grown, situation->has_grown) ||
         !fits(row->limit_is_near, situation->limit_is_near))
    row++;
  return row;
}

/* Only a copy of the nursery that need not mark reads store buffers. */
static bool reads_stores(const struct spgc_situation *situation) {
  enum spgc_marking_plan marking = marking_in(situation)->plan;
  return outcome_in(situation)->outcome == SPGC_COLLECTED_MINOR &&
         nursery_in(situation)->plan == SPGC_COPY_NURSERY && marking != SPGC_TRY_FINAL_MARK &&
         marking != SPGC_MAKE_FINAL_MARK;
}

static bool is_same(const char *words, const char *expected) {
  return words == NULL || expected == NULL ? words == expected : strcmp(words, expected) == 0;
}

static bool is_as_expected(const struct spgc_situation *situation) {
  const struct spgc_decision decision = spgc_decide(situation);
  const struct outcome_row *outcome = outcome_in(situation);
  const struct nursery_row *nursery = nursery_in(situation);
  const struct marking_row *marking = marking_in(situation);
  bool is_minor = outcome->outcome == SPGC_COLLECTED_MINOR;
  return decision.outcome == outcome->outcome && is_same(decision.words, outcome->words) &&
         is_same(decision.nursery_words, is_minor ? nursery->words : NULL) &&
         is_same(decision.marking_words, is_minor ? marking->words : NULL) &&
         (!is_minor || (decision.nursery == nursery->plan && decision.marking == marking->plan)) &&
         decision.reads_stores == reads_stores(situation);
}

/* The digits of `number` are the facts. */
static struct spgc_situation situation_of(unsigned number) {
  struct spgc_situation situation = {0};
#define DIGIT(field, values)                                                                       \
  situation.field = number % (values);                                                             \
  number /= (values)
  DIGIT(kind, 2);
  DIGIT(moves_all, 2);
  DIGIT(copies, 3);
  DIGIT(has_born_old, 2);
  DIGIT(is_oversized, 2);
  DIGIT(expects_survival, 2);
  DIGIT(is_half_full, 2);
  DIGIT(has_headroom, 2);
  DIGIT(phase, 4);
  DIGIT(room_is_short, 2);
  DIGIT(has_grown, 2);
  DIGIT(limit_is_near, 2);
#undef DIGIT
  return situation;
}

START_TEST(each_situation_has_the_decision_of_the_tables) {
  enum { SITUATIONS = 2 * 2 * 3 * 2 * 2 * 2 * 2 * 2 * 4 * 2 * 2 * 2 };
  unsigned wrong = 0;
  for (unsigned i = 0; i < SITUATIONS; i++) {
    const struct spgc_situation situation = situation_of(i);
    wrong += !is_as_expected(&situation);
  }
  ck_assert_uint_eq(wrong, 0);
}
END_TEST

CHECK_MAIN("decide", each_situation_has_the_decision_of_the_tables)
