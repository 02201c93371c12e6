#include "tests/unit/stackwalk/described_function.h"

/* push rbp; mov rbp, rsp; push r15; push rbx; an early epilogue, and the rest. */
static const unsigned char with_frame_pointer[] = {
    0x41, 0x0e, 16,   0x86, 2,          /* from 1: RSP + 16, RBP saved at -16 */
    0x43, 0x0d, 6,                      /* from 4: RBP + 16 */
    0x02, 6,    0x8f, 3,    0x83, 4,    /* from 10: R15 at -24, RBX at -32 */
    0x03, 20,   0,    0x0a,             /* from 30: remembered */
    0x0c, 7,    8,    0xc3, 6,    6,    /* RSP + 8; RBX and RBP are as at the beginning */
    0x04, 10,   0,    0,    0,    0x0b, /* from 40: as before */
    0x2e, 16,   0,    0,
};

START_TEST(rules_change_along_the_function) {
  describe("zR", with_frame_pointer, sizeof with_frame_pointer);
  check_cfa(1, DWARF_RSP, 8);
  check_cfa(2, DWARF_RSP, 16);
  check_cfa(4, DWARF_RSP, 16);
  check_cfa(5, DWARF_RBP, 16);
  check_cfa(10, DWARF_RBP, 16);
  check_saved(10, ORIGIN_R15, 0);
  check_saved(11, ORIGIN_R15, -24);
  check_saved(11, ORIGIN_RBX, -32);
  check_saved(11, ORIGIN_RBP, -16);
  check_saved(11, ORIGIN_R12, 0);
  check_cfa(31, DWARF_RSP, 8);
  check_saved(31, ORIGIN_RBX, 0);
  check_saved(31, ORIGIN_RBP, 0);
  check_saved(31, ORIGIN_R15, -24);
  check_cfa(41, DWARF_RBP, 16);
  check_saved(41, ORIGIN_RBX, -32);
  check_cfa(FUNCTION_BYTES, DWARF_RBP, 16);
}
END_TEST

START_TEST(a_call_at_the_end_returns_behind_the_function) {
  struct call_frame rules;
  describe("zR", "\0", 1);
  ck_assert(find(FUNCTION_BYTES, &rules));
  ck_assert(!find(FUNCTION_BYTES + 1, &rules));
  ck_assert(!find(0, &rules));
}
END_TEST

START_TEST(a_personality_is_noticed) {
  struct call_frame rules;
  describe("zPLR", "\0", 1);
  ck_assert(find(1, &rules) && rules.has_personality);
  describe("zR", "\0", 1);
  ck_assert(find(1, &rules) && !rules.has_personality);
}
END_TEST

START_TEST(signal_frames_and_unknown_augmentations_are_left_to_libunwind) {
  struct call_frame rules;
  describe("zRS", "\0", 1);
  ck_assert(!find(1, &rules));
  describe("zRX", "\0", 1);
  ck_assert(!find(1, &rules));
}
END_TEST

static const struct {
  unsigned char bytes[6];
  unsigned size;
} refused[] = {
    {{0x10, 16, 1, 0x30}, 4}, /* the return address by an expression */
    {{0x10, 7, 1, 0x30}, 4},  /* the stack pointer by an expression */
    {{0x0f, 9, 0x77, 8}, 4},  /* an expression beyond the end */
    {{0x16, 3, 1, 0x50}, 4},
    {{0x09, 3, 12}, 3},   /* RBX in R12 */
    {{0x07, 16}, 2},      /* no return address */
    {{0x87, 2}, 2},       /* the stack pointer in memory */
    {{0x90, 2}, 2},       /* the return address elsewhere */
    {{0x0b}, 1},          /* nothing was remembered */
    {{0x0d, 0}, 2},       /* counted from RAX */
    {{0x0c, 7}, 2},       /* cut off */
    {{0x0e, 0x80}, 2},    /* a number without end */
    {{0x01, 0, 0, 0}, 4}, /* set_loc */
};

START_TEST(what_is_not_read_is_left_to_libunwind) {
  struct call_frame rules;
  describe("zR", refused[_i].bytes, refused[_i].size);
  ck_assert(!find(1, &rules));
}
END_TEST

static struct stack_address end_of(const uintptr_t stack[16]) {
  return (struct stack_address){(uintptr_t)&stack[16]};
}

/* The frame's stack pointer is the fifth of sixteen words. */
START_TEST(a_step_finds_the_caller_and_its_registers) {
  uintptr_t stack[16] = {0};
  struct suspended_frame frame = {.return_address = {(uintptr_t)page + FUNCTION + 11}};
  struct call_frame rules;
  describe("zR", with_frame_pointer, sizeof with_frame_pointer);
  ck_assert(find(11, &rules));
  frame.origins[ORIGIN_STACK_POINTER].word = (uintptr_t)&stack[4];
  frame.origins[ORIGIN_R14].word = (uintptr_t)&stack[1];
  ck_assert(!spgc_call_frame_step(&rules, &frame, end_of(stack)));
  frame.origins[ORIGIN_RBP].word = (uintptr_t)&stack[2];
  stack[2] = (uintptr_t)&stack[8];
  stack[9] = 4711;
  ck_assert(spgc_call_frame_step(&rules, &frame, end_of(stack)));
  ck_assert_uint_eq(frame.return_address.word, 4711);
  ck_assert_uint_eq(frame_stack_pointer(&frame), (uintptr_t)&stack[10]);
  ck_assert_uint_eq(frame.origins[ORIGIN_RBP].word, (uintptr_t)&stack[8]);
  ck_assert_uint_eq(frame.origins[ORIGIN_R15].word, (uintptr_t)&stack[7]);
  ck_assert_uint_eq(frame.origins[ORIGIN_RBX].word, (uintptr_t)&stack[6]);
  ck_assert_uint_eq(frame.origins[ORIGIN_R14].word, (uintptr_t)&stack[1]);
}
END_TEST

/* By GCC, for a function that realigned its stack: [RBP - 8] is the canonical frame address, RBP
 * was saved where it points to, RBX at RBP - 16; R15 is one word below the canonical frame
 * address. */
static const unsigned char realigned[] = {
    0x0f, 3,  0x76, 0x78, 0x06, /* the canonical frame address */
    0x10, 6,  2,    0x76, 0,    /* RBP */
    0x10, 3,  2,    0x76, 0x70, /* RBX */
    0x10, 15, 2,    0x40, 0x1c,
    0x00, /* R15: literal 16 less than the top of the stack; then nothing */
};

START_TEST(expressions_tell_of_realigned_stacks) {
  uintptr_t stack[16] = {0};
  struct suspended_frame frame = {.return_address = {(uintptr_t)page + FUNCTION + 1}};
  struct call_frame rules;
  describe("zR", realigned, sizeof realigned);
  ck_assert(find(1, &rules));
  frame.origins[ORIGIN_STACK_POINTER].word = (uintptr_t)&stack[2];
  frame.origins[ORIGIN_RBP].word = (uintptr_t)&stack[1];
  stack[1] = (uintptr_t)&stack[6];
  stack[5] = (uintptr_t)&stack[12];
  stack[11] = 4711;
  ck_assert(spgc_call_frame_step(&rules, &frame, end_of(stack)));
  ck_assert_uint_eq(frame.return_address.word, 4711);
  ck_assert_uint_eq(frame_stack_pointer(&frame), (uintptr_t)&stack[12]);
  ck_assert_uint_eq(frame.origins[ORIGIN_RBP].word, (uintptr_t)&stack[6]);
  ck_assert_uint_eq(frame.origins[ORIGIN_RBX].word, (uintptr_t)&stack[4]);
  ck_assert_uint_eq(frame.origins[ORIGIN_R15].word, (uintptr_t)&stack[10]);
}
END_TEST

/* Canonical frame addresses of a frame whose stack pointer is 16 words below the limit. */
static const struct {
  unsigned char bytes[8];
  unsigned size;
} failing[] = {
    {{0x0f, 2, 0x72, 0}, 4},             /* R2 */
    {{0x0f, 3, 0x77, 0x78, 0x06}, 5},    /* memory below the frame */
    {{0x0f, 4, 0x77, 0x80, 1, 0x06}, 6}, /* and above the limit */
    {{0x0f, 3, 0x77, 4, 0x06}, 5},       /* no word's address */
    {{0x0f, 2, 0x22, 0x22}, 4},          /* an empty stack */
    {{0x0f, 1, 0x96}, 3},                /* an operation that is not read */
    {{0x0f, 1, 0x77}, 3},                /* cut off */
};

START_TEST(expressions_that_cannot_be_evaluated_leave_the_frame) {
  uintptr_t stack[16] = {0};
  struct suspended_frame frame = {.return_address = {(uintptr_t)page + FUNCTION + 1}};
  struct call_frame rules;
  describe("zR", failing[_i].bytes, failing[_i].size);
  ck_assert(find(1, &rules));
  frame.origins[ORIGIN_STACK_POINTER].word = (uintptr_t)stack;
  ck_assert(!spgc_call_frame_step(&rules, &frame, end_of(stack)));
  ck_assert_uint_eq(frame_stack_pointer(&frame), (uintptr_t)stack);
}
END_TEST

START_TEST(a_caller_below_the_frame_is_refused) {
  uintptr_t stack[16] = {0};
  struct suspended_frame frame = {.return_address = {1}};
  const struct call_frame rules = {.reg = DWARF_RBP, .offset = 16};
  frame.origins[ORIGIN_STACK_POINTER].word = (uintptr_t)&stack[8];
  frame.origins[ORIGIN_RBP].word = (uintptr_t)&stack[0];
  stack[0] = (uintptr_t)&stack[2];
  ck_assert(!spgc_call_frame_step(&rules, &frame, end_of(stack)));
  ck_assert_uint_eq(frame_stack_pointer(&frame), (uintptr_t)&stack[8]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-call-frame");
  TCase *tcase = tcase_create("call-frame");
  tcase_add_checked_fixture(tcase, set_up, tear_down);
  tcase_add_test(tcase, rules_change_along_the_function);
  tcase_add_test(tcase, a_call_at_the_end_returns_behind_the_function);
  tcase_add_test(tcase, a_personality_is_noticed);
  tcase_add_test(tcase, signal_frames_and_unknown_augmentations_are_left_to_libunwind);
  tcase_add_loop_test(tcase, what_is_not_read_is_left_to_libunwind, 0,
                      sizeof refused / sizeof *refused);
  tcase_add_test(tcase, a_step_finds_the_caller_and_its_registers);
  tcase_add_test(tcase, expressions_tell_of_realigned_stacks);
  tcase_add_loop_test(tcase, expressions_that_cannot_be_evaluated_leave_the_frame, 0,
                      sizeof failing / sizeof *failing);
  tcase_add_test(tcase, a_caller_below_the_frame_is_refused);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
