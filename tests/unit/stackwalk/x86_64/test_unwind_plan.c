#include "stackwalk/machine_frame.h"
#include "tests/support/suite.h"

enum { WORDS = 64, SIZE = 20 * 8 };

static uintptr_t stack[WORDS];
static struct suspended_frame inner, outer;

static struct stack_address at(unsigned word) {
  return (struct stack_address){(uintptr_t)&stack[word]};
}

/* A frame of 20 words and a return address from word 30; inner frames saved registers from word
 * 10. */
static void setup(void) {
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    inner.origins[i] = at(10 + i);
  inner.origins[ORIGIN_STACK_POINTER] = at(30);
  inner.return_address.word = 0x1000;
  outer = inner;
  outer.origins[ORIGIN_STACK_POINTER] = at(51);
  outer.return_address.word = stack[50] = 0x2000;
}

static enum unwind_plan_kind observed_kind(void) {
  return unwind_plan_kind(spgc_unwind_plan_observe(spgc_unwind_plan_initial(SIZE), &inner, &outer));
}

static void check_applied(void) {
  struct unwind_plan unwind_plan =
      spgc_unwind_plan_observe(spgc_unwind_plan_initial(SIZE), &inner, &outer);
  ck_assert_int_eq(unwind_plan_kind(unwind_plan), UNWIND_PLAN_KNOWN);
  struct suspended_frame frame = inner;
  unwind_plan_apply(unwind_plan, &frame);
  ck_assert_uint_eq(frame.return_address.word, outer.return_address.word);
  for (unsigned i = 0; i <= ORIGIN_STACK_POINTER; i++)
    ck_assert_uint_eq(frame.origins[i].word, outer.origins[i].word);
}

START_TEST(every_set_of_saved_registers_is_crossed) {
  for (unsigned saved = 0; saved < 1u << CALLEE_SAVED_REGISTERS; saved++) {
    setup();
    unsigned word = 49;
    for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
      if (saved & 1u << i)
        outer.origins[i] = at(word--);
    check_applied();
  }
}
END_TEST

START_TEST(words_without_a_register_are_passed_over) {
  outer.origins[ORIGIN_R15] = at(44);
  outer.origins[ORIGIN_RBP] = at(47);
  check_applied();
}
END_TEST

START_TEST(a_distance_that_is_not_the_maps_is_refused) {
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_observe(spgc_unwind_plan_initial(SIZE - 8),
                                                             &inner, &outer)),
                   UNWIND_PLAN_NONE);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_observe(spgc_unwind_plan_initial(UINT64_MAX),
                                                             &inner, &outer)),
                   UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(a_return_address_elsewhere_is_refused) {
  stack[50] = 0x2001;
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(a_register_saved_elsewhere_is_refused) {
  const struct stack_address elsewhere[] = {
      at(43), at(50), at(51), at(29), at(5), {(uintptr_t)&stack[47] + 4}, {0}};
  for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
    outer.origins[ORIGIN_R12] = elsewhere[i];
    ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
  }
}
END_TEST

START_TEST(two_registers_in_one_word_are_refused) {
  outer.origins[ORIGIN_RBX] = outer.origins[ORIGIN_R14] = at(48);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(nothing_is_learned_from_a_register_of_unknown_place) {
  inner.origins[ORIGIN_R13].word = outer.origins[ORIGIN_R13].word = 0;
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_UNKNOWN);
}
END_TEST

START_TEST(only_sizes_that_can_be_confirmed_are_learned) {
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(0)), UNWIND_PLAN_UNKNOWN);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(88)), UNWIND_PLAN_UNKNOWN);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(90)), UNWIND_PLAN_NONE);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(8 * 16382)), UNWIND_PLAN_UNKNOWN);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(8 * 16383)), UNWIND_PLAN_NONE);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(UINT64_MAX)), UNWIND_PLAN_NONE);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("unwind-plan");
  TCase *tests = tcase_create("unwind-plan");
  tcase_add_checked_fixture(tests, setup, NULL);
  tcase_add_test(tests, every_set_of_saved_registers_is_crossed);
  tcase_add_test(tests, words_without_a_register_are_passed_over);
  tcase_add_test(tests, a_distance_that_is_not_the_maps_is_refused);
  tcase_add_test(tests, a_return_address_elsewhere_is_refused);
  tcase_add_test(tests, a_register_saved_elsewhere_is_refused);
  tcase_add_test(tests, two_registers_in_one_word_are_refused);
  tcase_add_test(tests, nothing_is_learned_from_a_register_of_unknown_place);
  tcase_add_test(tests, only_sizes_that_can_be_confirmed_are_learned);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
