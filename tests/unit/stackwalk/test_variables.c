#include "stackwalk/stack_variables.h"
#include "tests/support/suite.h"

enum { STACK_VARIABLES = 256, WORDS = 2 * STACK_VARIABLES };

static struct variable_run runs[STACK_VARIABLES];
static struct stack_variables variables;
static uintptr_t stack[WORDS];

static struct spgc_slot at(unsigned index) {
  return spgc_slot_at(&stack[index]);
}

static struct stack_address place(unsigned index) {
  return (struct stack_address){(uintptr_t)&stack[index]};
}

static void setup(void) {
  variables = (struct stack_variables){.capacity = STACK_VARIABLES, .runs = runs};
}

/* Reaches the frame at `reached` (WORDS: none), and meets a variable in every word from `top`. */
static bool walk(unsigned top, unsigned reached) {
  spgc_stack_variables_begin(&variables);
  for (unsigned i = top; i < reached; i++)
    spgc_stack_variables_meet(&variables, at(i), 1);
  unsigned kept = reached == WORDS ? 0 : spgc_stack_variables_older(&variables, place(reached - 1));
  return spgc_stack_variables_settle(&variables, kept);
}

static void check_known(unsigned top) {
  ck_assert_uint_eq(variables.known, WORDS - top);
  for (unsigned i = 0; i < variables.known; i++)
    ck_assert_ptr_eq(variables.runs[i].first.location, at(WORDS - 1 - i).location);
}

START_TEST(those_met_are_known_the_oldest_first) {
  ck_assert(walk(WORDS - 5, WORDS));
  check_known(WORDS - 5);
}
END_TEST

START_TEST(those_of_frames_left_out_stay_and_those_of_frames_left_go) {
  ck_assert(walk(WORDS - 50, WORDS));
  ck_assert(walk(WORDS - 70, WORDS - 20)); /* down to 30, and up to 70 again */
  check_known(WORDS - 70);
  ck_assert(walk(WORDS - 10, WORDS - 4));
  check_known(WORDS - 10);
}
END_TEST

START_TEST(too_many_keep_what_was_left_out) {
  ck_assert(walk(WORDS - 40, WORDS));
  ck_assert(!walk(WORDS - 30 - STACK_VARIABLES, WORDS - 30));
  check_known(WORDS - 30);
  ck_assert(walk(WORDS - 31, WORDS - 30));
  check_known(WORDS - 31);
}
END_TEST

START_TEST(as_many_as_there_is_room_for_fit) {
  ck_assert(walk(WORDS - STACK_VARIABLES, WORDS));
  check_known(WORDS - STACK_VARIABLES);
  ck_assert(!walk(WORDS - STACK_VARIABLES - 1, WORDS));
  check_known(WORDS);
}
END_TEST

START_TEST(a_shorter_list_takes_all_or_none) {
  enum { FEW = 3 };
  struct variable_run few[FEW];
  struct stack_variables copy = {.capacity = FEW, .runs = few};
  ck_assert(walk(WORDS - FEW, WORDS));
  spgc_stack_variables_copy(&copy, &variables);
  ck_assert(!copy.overflowed);
  ck_assert_uint_eq(copy.known, FEW);
  for (unsigned i = 0; i < FEW; i++)
    ck_assert_ptr_eq(few[i].first.location, at(WORDS - 1 - i).location);
  ck_assert(walk(WORDS - FEW - 1, WORDS));
  spgc_stack_variables_copy(&copy, &variables);
  ck_assert(copy.overflowed);
  ck_assert_uint_eq(copy.known, 0);
  ck_assert(!walk(WORDS - STACK_VARIABLES - 2, WORDS - 2));
  ck_assert_uint_eq(variables.known, 2);
  spgc_stack_variables_copy(&copy, &variables);
  ck_assert(copy.overflowed);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("variables");
  TCase *tests = tcase_create("variables");
  tcase_add_checked_fixture(tests, setup, NULL);
  tcase_add_test(tests, those_met_are_known_the_oldest_first);
  tcase_add_test(tests, those_of_frames_left_out_stay_and_those_of_frames_left_go);
  tcase_add_test(tests, too_many_keep_what_was_left_out);
  tcase_add_test(tests, as_many_as_there_is_room_for_fit);
  tcase_add_test(tests, a_shorter_list_takes_all_or_none);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
