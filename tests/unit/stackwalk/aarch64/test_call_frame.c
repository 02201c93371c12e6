#include "stackwalk/machine_frame.h"
#include "tests/unit/stackwalk/described_function.h"

/* paciasp; stp x29, x30, [sp, #-48]!; stp x20, x19, [sp, #32]; str d8, [sp, #16]; mov x29, sp; an
 * early epilogue, and the rest. */
static const unsigned char with_frame_pointer[] = {
    0x44, 0x2d,                                         /* from 4: x30 is signed */
    0x44, 0x0e, 48,   0x9d, 6,  0x9e, 5,                /* from 8: sp + 48, x29 and x30 saved */
    0x44, 0x93, 1,    0x94, 2,  0x05, 72,   4,          /* from 12: x19, x20 and d8 */
    0x44, 0x0d, 29,                                     /* from 16: x29 + 48 */
    0x02, 16,   0x0a, 0x0c, 31, 0,    0xdd, 0xde, 0xd3, /* from 32: remembered; sp; restored */
    0xd4, 0x06, 72,   0x2d,                             /* and not signed */
    0x44, 0x0b, 0,                                      /* from 36: as before */
};

START_TEST(rules_change_along_the_function) {
  describe("zR", with_frame_pointer, sizeof with_frame_pointer);
  check_cfa(9, DWARF_SP, 48);
  check_saved(9, ORIGIN_X29, -48);
  check_saved(9, ORIGIN_X19, 0);
  check_saved(13, ORIGIN_X19, -8);
  check_saved(13, ORIGIN_X19 + 1, -16);
  check_saved(13, ORIGIN_D8, -32);
  check_cfa(16, DWARF_SP, 48);
  check_cfa(17, DWARF_X29, 48);
  check_saved(37, ORIGIN_D8, -32);
  check_cfa(37, DWARF_X29, 48);
  check_saved(37, ORIGIN_D8 + 1, 0);
}
END_TEST

/* Only a function that calls nothing keeps it in x30. */
START_TEST(a_return_address_that_is_not_saved_is_left_to_libunwind) {
  struct call_frame rules;
  describe("zR", with_frame_pointer, sizeof with_frame_pointer);
  ck_assert(!find(1, &rules));
  ck_assert(!find(33, &rules));
}
END_TEST

START_TEST(the_key_of_signatures_is_known) {
  struct call_frame rules;
  describe("zRB", with_frame_pointer, sizeof with_frame_pointer);
  ck_assert(find(13, &rules));
  describe("zRS", with_frame_pointer, sizeof with_frame_pointer);
  ck_assert(!find(13, &rules));
}
END_TEST

static struct stack_address end_of(const uintptr_t stack[16]) {
  return (struct stack_address){(uintptr_t)&stack[16]};
}

/* The frame's stack pointer is the fifth of sixteen words; its return address is signed. */
START_TEST(a_step_finds_the_caller_and_its_registers) {
  uintptr_t stack[16] = {0};
  struct suspended_frame frame = {.return_address = {(uintptr_t)page + FUNCTION + 17}};
  struct call_frame rules;
  describe("zR", with_frame_pointer, sizeof with_frame_pointer);
  ck_assert(find(17, &rules));
  frame.origins[ORIGIN_STACK_POINTER].word = (uintptr_t)&stack[4];
  frame.origins[ORIGIN_X28].word = (uintptr_t)&stack[1];
  ck_assert(!spgc_call_frame_step(&rules, &frame, end_of(stack)));
  frame.origins[ORIGIN_X29].word = (uintptr_t)&stack[2];
  stack[2] = (uintptr_t)&stack[4];
  stack[5] = UINT64_C(0x7a) << 56 | UINT64_C(0x15) << 48 | 4711;
  ck_assert(spgc_call_frame_step(&rules, &frame, end_of(stack)));
  ck_assert_uint_eq(frame.return_address.word, 4711);
  ck_assert_uint_eq(frame_return_place(&frame).word, (uintptr_t)&stack[5]);
  ck_assert_uint_eq(frame_stack_pointer(&frame), (uintptr_t)&stack[10]);
  ck_assert_uint_eq(frame.origins[ORIGIN_X29].word, (uintptr_t)&stack[4]);
  ck_assert_uint_eq(frame.origins[ORIGIN_D8].word, (uintptr_t)&stack[6]);
  ck_assert_uint_eq(frame.origins[ORIGIN_X19 + 1].word, (uintptr_t)&stack[8]);
  ck_assert_uint_eq(frame.origins[ORIGIN_X19].word, (uintptr_t)&stack[9]);
  ck_assert_uint_eq(frame.origins[ORIGIN_X28].word, (uintptr_t)&stack[1]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-call-frame");
  TCase *tcase = tcase_create("call-frame");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_test(tcase, rules_change_along_the_function);
  tcase_add_test(tcase, a_return_address_that_is_not_saved_is_left_to_libunwind);
  tcase_add_test(tcase, the_key_of_signatures_is_known);
  tcase_add_test(tcase, a_step_finds_the_caller_and_its_registers);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
