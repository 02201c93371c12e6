/* Unwind plans: an observed plan leads to the same caller, and frames that no plan fits get none.
 */
#include "stackwalk/machine_frame.h"
#include "tests/support/suite.h"

enum { WORDS = 64, SIZE = 20 * 8 };

static uintptr_t stack[WORDS];
static struct suspended_frame inner, outer;

static struct stack_address at(unsigned word) {
  return (struct stack_address){(uintptr_t)&stack[word]};
}

/* A frame of 20 words from word 30 on; registers were saved further in, from word 1 on. */
static void setup(void) {
  for (unsigned i = 0; i < PRESERVED_REGISTERS; i++)
    inner.origins[i] = at(1 + i);
  inner.origins[ORIGIN_STACK_POINTER] = at(30);
  inner.return_address.word = 0x1000;
  outer = inner;
  outer.origins[ORIGIN_STACK_POINTER] = at(50);
  outer.origins[ORIGIN_RETURN_PLACE] = at(49);
  outer.return_address.word = stack[49] = 0x2000;
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
  for (unsigned i = 0; i < ORIGIN_COUNT; i++)
    ck_assert_uint_eq(frame.origins[i].word, outer.origins[i].word);
}

static void save_return_address_at(unsigned word) {
  outer.origins[ORIGIN_RETURN_PLACE] = at(word);
  stack[word] = outer.return_address.word;
}

/* As LLVM saves them: in pairs from the top down, x30 and x29 last, and a word is unused before the
 * last single register if their number is odd. */
START_TEST(every_set_of_saved_registers_is_crossed) {
  for (unsigned saved = 0; saved < 1u << CALLEE_SAVED_REGISTERS; saved++) {
    setup();
    unsigned word = 49, others = saved & ~(1u << ORIGIN_X29);
    bool is_odd = __builtin_popcount(others) % 2 != 0;
    for (unsigned left = others; left != 0; left &= left - 1) {
      word -= is_odd && (left & (left - 1)) == 0;
      outer.origins[__builtin_ctz(left)] = at(word--);
    }
    save_return_address_at(word--);
    if ((saved & 1u << ORIGIN_X29) != 0)
      outer.origins[ORIGIN_X29] = at(word);
    check_applied();
  }
}
END_TEST

START_TEST(a_signed_return_address_is_stripped) {
  stack[49] = 0x2000 | UINT64_C(0xab5a) << 48;
  check_applied();
}
END_TEST

START_TEST(a_distance_that_is_not_the_maps_is_refused) {
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_observe(spgc_unwind_plan_initial(SIZE - 16),
                                                             &inner, &outer)),
                   UNWIND_PLAN_NONE);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_observe(spgc_unwind_plan_initial(UINT64_MAX),
                                                             &inner, &outer)),
                   UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(a_return_address_elsewhere_is_refused) {
  stack[49] = 0x2001;
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
  const struct stack_address elsewhere[] = {
      at(50), at(29), at(18), {(uintptr_t)&stack[47] + 4}, {0}};
  for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
    setup();
    stack[29] = stack[18] = stack[50] = 0x2000;
    outer.origins[ORIGIN_RETURN_PLACE] = elsewhere[i];
    ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
  }
}
END_TEST

START_TEST(a_register_saved_elsewhere_is_refused) {
  const struct stack_address elsewhere[] = {
      at(49), at(46), at(50), at(29), at(21), {(uintptr_t)&stack[47] + 4}, {0}};
  for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
    outer.origins[ORIGIN_X19 + 2] = elsewhere[i];
    ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
  }
}
END_TEST

START_TEST(registers_in_another_order_are_refused) {
  save_return_address_at(47);
  outer.origins[ORIGIN_X19] = at(48);
  outer.origins[ORIGIN_X19 + 1] = at(49);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(two_unused_words_are_refused) {
  save_return_address_at(40);
  outer.origins[ORIGIN_X19] = at(48);
  outer.origins[ORIGIN_X19 + 1] = at(46);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(two_registers_in_one_word_are_refused) {
  save_return_address_at(40);
  outer.origins[ORIGIN_X19] = outer.origins[ORIGIN_X19 + 3] = at(49);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

/* Plans say nothing of these registers. */
START_TEST(a_saved_register_that_holds_numbers_is_refused) {
  outer.origins[ORIGIN_D8 + 5] = at(45);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(nothing_is_learned_from_a_register_of_unknown_place) {
  inner.origins[ORIGIN_X19 + 4].word = outer.origins[ORIGIN_X19 + 4].word = 0;
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_UNKNOWN);
}
END_TEST

START_TEST(only_sizes_that_can_be_confirmed_are_learned) {
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(0)), UNWIND_PLAN_NONE);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(80)), UNWIND_PLAN_UNKNOWN);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(90)), UNWIND_PLAN_NONE);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(8 * 4095)), UNWIND_PLAN_UNKNOWN);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(8 * 4096)), UNWIND_PLAN_NONE);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(UINT64_MAX)), UNWIND_PLAN_NONE);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("unwind-plan");
  TCase *tests = tcase_create("unwind-plan");
  tcase_add_checked_fixture(tests, setup, NULL);
  tcase_add_test(tests, every_set_of_saved_registers_is_crossed);
  tcase_add_test(tests, a_signed_return_address_is_stripped);
  tcase_add_test(tests, a_distance_that_is_not_the_maps_is_refused);
  tcase_add_test(tests, a_return_address_elsewhere_is_refused);
  tcase_add_test(tests, a_register_saved_elsewhere_is_refused);
  tcase_add_test(tests, registers_in_another_order_are_refused);
  tcase_add_test(tests, two_unused_words_are_refused);
  tcase_add_test(tests, a_saved_register_that_holds_numbers_is_refused);
  tcase_add_test(tests, two_registers_in_one_word_are_refused);
  tcase_add_test(tests, nothing_is_learned_from_a_register_of_unknown_place);
  tcase_add_test(tests, only_sizes_that_can_be_confirmed_are_learned);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
