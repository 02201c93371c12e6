#include "stackwalk/machine_frame.h"
#include "tests/support/suite.h"

enum { WORDS = 72, SIZE = 28 * 8 };

static uintptr_t stack[WORDS];
static struct suspended_frame inner, outer;

static struct stack_address at(unsigned word) {
  return (struct stack_address){(uintptr_t)&stack[word]};
}

/* A frame of 28 words from word 30 onwards; inner frames saved registers from word 1 upwards. */
static void setup(void) {
  for (unsigned i = 0; i < PRESERVED_REGISTERS; i++)
    inner.origins[i] = at(1 + i);
  inner.origins[ORIGIN_STACK_POINTER] = at(30);
  inner.return_address.word = 0x1000;
  outer = inner;
  outer.origins[ORIGIN_STACK_POINTER] = at(58);
  outer.origins[ORIGIN_RETURN_PLACE] = at(57);
  outer.return_address.word = stack[57] = 0x2000;
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

/* Saves those of d8 to d15 from a word down. If `is_odd`, a word is unused before the last; returns
 * its number from the top. */
static unsigned save_numbers(unsigned numbers, unsigned word, bool is_odd) {
  unsigned unused = 0;
  for (unsigned i = 0; i < numbers; i++) {
    if (is_odd && i == numbers - 1)
      unused = 58 - word--;
    outer.origins[ORIGIN_D8 + i] = at(word--);
  }
  return unused;
}

/* In pairs from the top down, x30 and x29 last of the general registers, and then d8 to d15. With
 * an odd number of registers, a word is unused: before the last single of x19 to x28, or else of d8
 * to d15. Returns whether a plan has room for its number. */
static bool save_as_llvm(unsigned saved, unsigned numbers) {
  unsigned word = 57, others = saved & ~(1u << ORIGIN_X29), general = 1;
  for (unsigned left = saved; left != 0; left &= left - 1)
    general++;
  bool is_odd = (general + numbers) % 2 != 0, is_above = is_odd && general % 2 != 0;
  for (unsigned left = others; left != 0; left &= left - 1) {
    word -= is_above && (left & (left - 1)) == 0;
    outer.origins[__builtin_ctz(left)] = at(word--);
  }
  save_return_address_at(word--);
  if ((saved & 1u << ORIGIN_X29) != 0)
    outer.origins[ORIGIN_X29] = at(word--);
  return save_numbers(numbers, word, is_odd && !is_above) <= UNWIND_PLAN_UNUSED_MOST;
}

START_TEST(every_set_of_saved_registers_is_crossed) {
  for (unsigned saved = 0; saved < 1u << CALLEE_SAVED_REGISTERS; saved++) {
    for (unsigned numbers = 0; numbers <= 8; numbers++) {
      setup();
      if (save_as_llvm(saved, numbers))
        check_applied();
      else
        ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
    }
  }
}
END_TEST

START_TEST(a_signed_return_address_is_stripped) {
  stack[57] = 0x2000 | UINT64_C(0xab5a) << 48;
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
  stack[57] = 0x2001;
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
  const struct stack_address elsewhere[] = {
      at(58), at(29), at(42), {(uintptr_t)&stack[55] + 4}, {0}};
  for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
    setup();
    stack[29] = stack[42] = stack[58] = 0x2000;
    outer.origins[ORIGIN_RETURN_PLACE] = elsewhere[i];
    ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
  }
}
END_TEST

START_TEST(a_register_saved_elsewhere_is_refused) {
  const struct stack_address elsewhere[] = {
      at(57), at(54), at(58), at(29), at(21), {(uintptr_t)&stack[55] + 4}, {0}};
  for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
    outer.origins[ORIGIN_X19 + 2] = elsewhere[i];
    ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
  }
}
END_TEST

START_TEST(registers_in_another_order_are_refused) {
  save_return_address_at(55);
  outer.origins[ORIGIN_X19] = at(56);
  outer.origins[ORIGIN_X19 + 1] = at(57);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(two_unused_words_are_refused) {
  save_return_address_at(48);
  outer.origins[ORIGIN_X19] = at(56);
  outer.origins[ORIGIN_X19 + 1] = at(54);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(two_registers_in_one_word_are_refused) {
  save_return_address_at(48);
  outer.origins[ORIGIN_X19] = outer.origins[ORIGIN_X19 + 3] = at(57);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(numbers_in_another_order_are_refused) {
  save_return_address_at(48);
  outer.origins[ORIGIN_D8] = at(56);
  outer.origins[ORIGIN_D8 + 1] = at(57);
  ck_assert_int_eq(observed_kind(), UNWIND_PLAN_NONE);
}
END_TEST

START_TEST(a_saved_number_behind_one_that_is_not_saved_is_refused) {
  outer.origins[ORIGIN_D8] = at(56);
  outer.origins[ORIGIN_D8 + 2] = at(55);
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
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(88)), UNWIND_PLAN_NONE);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(16 * 511)), UNWIND_PLAN_UNKNOWN);
  ck_assert_int_eq(unwind_plan_kind(spgc_unwind_plan_initial(16 * 512)), UNWIND_PLAN_NONE);
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
  tcase_add_test(tests, numbers_in_another_order_are_refused);
  tcase_add_test(tests, a_saved_number_behind_one_that_is_not_saved_is_refused);
  tcase_add_test(tests, two_registers_in_one_word_are_refused);
  tcase_add_test(tests, nothing_is_learned_from_a_register_of_unknown_place);
  tcase_add_test(tests, only_sizes_that_can_be_confirmed_are_learned);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
