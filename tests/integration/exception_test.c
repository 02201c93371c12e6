/* Exceptions through code loaded by the JIT. */
#include <setjmp.h>
#include <unwind.h>

#include "spgc/exception.h"
#include "spgc/protect.h"
#include "spgc/stackwalk.h"
#include "spgc/thread.h"
#include "tests/integration/cxx/throws.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

static void *stack_base;
static uint64_t roots_in_registers; /* of calls with a landing pad */

static void count_register(void *context, const struct spgc_frame *frame,
                           const struct spgc_root *root) {
  roots_in_registers += frame->statepoint_id == 77 && root->base_in_register;
}

void look_around(void) {
  const struct spgc_stack_visitor visitor = {.root = count_register};
  spgc_walk_stack(stack_base, &visitor, NULL);
}

/* Not exported by a test that links the library statically. */
static void define_all_but_throw(void) {
  jit_world_define("call_from_cxx", (void *)call_from_cxx);
  jit_world_define("call_from_c", (void *)call_from_c);
  jit_world_define("throw_text_from_cxx", (void *)throw_text_from_cxx);
  jit_world_define("catch_in_cxx", (void *)catch_in_cxx);
  jit_world_define("catch_last_in_cxx", (void *)catch_last_in_cxx);
  jit_world_define("frames_left", (void *)frames_left);
  jit_world_define("look_around", (void *)look_around);
}

static void start(const char *options) {
  jit_world_start(options);
  jit_world_define("throw_from_cxx", (void *)throw_from_cxx);
  define_all_but_throw();
}

START_TEST(references_in_registers_are_relocated_in_landing_pads) {
  start(jit_world_hostile);
  jit_world_load_file("exceptions.ll", (unsigned)_i);
  stack_base = __builtin_frame_address(0);
  ck_assert_int_eq(jit_world_run("managed_run", 40), 19360);
  struct spgc_statistics statistics = jit_world_finish();
  ck_assert_uint_gt(statistics.moved_objects, 1000);
  ck_assert_uint_ge(roots_in_registers, 40 * 6);
  jit_world_stop();
}
END_TEST

START_TEST(cxx_catches_what_passes_through_generated_frames) {
  struct spgc_error error;
  start(jit_world_hostile);
  jit_world_load_file("exceptions.ll", 2);
  stack_base = __builtin_frame_address(0);
  ck_assert_ok(spgc_thread_attach(stack_base, &error), error);
  number_function *middle = (number_function *)(uintptr_t)jit_world_lookup("middle");
  ck_assert_int_eq(catch_around(middle, 5), -15);
  ck_assert_int_eq(catch_around(middle, 6), 12);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

START_TEST(a_landing_pad_of_cxx_is_entered_for_the_type_it_names) {
  struct spgc_error error;
  start(jit_world_hostile);
  jit_world_load_file("exceptions_by_type.ll", (unsigned)_i);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  number_function *catch_other = (number_function *)(uintptr_t)jit_world_lookup("catch_other");
  ck_assert_int_eq(catch_other(8), 8);
  ck_assert_int_eq(catch_other(0), -1);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

static jmp_buf ended;

static _Unwind_Reason_Code end_at_base(int version, _Unwind_Action actions, uint64_t class,
                                       struct _Unwind_Exception *exception,
                                       struct _Unwind_Context *context, void *unused) {
  if (_Unwind_GetCFA(context) > (uintptr_t)stack_base)
    longjmp(ended, 1);
  return _URC_NO_REASON;
}

/* Like pthread_exit, which works with one of the unwinders only. */
static void end_thread(int64_t unused) {
  static struct _Unwind_Exception forced;
  _Unwind_ForcedUnwind(&forced, end_at_base, NULL);
}

START_TEST(the_end_of_a_thread_runs_cleanups_and_is_not_caught) {
  struct spgc_error error;
  jit_world_start(jit_world_hostile);
  jit_world_define("throw_from_cxx", (void *)end_thread);
  define_all_but_throw();
  jit_world_load_file("exceptions.ll", (unsigned)_i);
  stack_base = __builtin_frame_address(0);
  ck_assert_ok(spgc_thread_attach(stack_base, &error), error);
  number_function *cleanups = (number_function *)(uintptr_t)jit_world_lookup("cleanups");
  number_function *throwing = (number_function *)(uintptr_t)jit_world_lookup("round");
  int64_t left = frames_left();
  if (setjmp(ended) == 0) {
    throwing(5);
    ck_abort_msg("the unwinding was caught");
  }
  ck_assert_int_eq(cleanups(0), 1);
  ck_assert_int_eq(frames_left(), left + 2);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

/* Code at reused addresses is unwound by its own information. */
START_TEST(objects_come_and_go_between_exceptions) {
  struct spgc_error error;
  start("verify=full,move=always,walk=differential,seed=5,limit=64m");
  stack_base = __builtin_frame_address(0);
  ck_assert_ok(spgc_thread_attach(stack_base, &error), error);
  for (unsigned i = 0; i < 24; i++) {
    struct spgc_jit_object *object =
        jit_world_load_file(i % 3 == 2 ? "exceptions_by_type.ll" : "exceptions.ll", i % 4);
    const char *name = i % 3 == 2 ? "catch_other" : "round";
    number_function *function = (number_function *)(uintptr_t)jit_world_lookup(name);
    ck_assert_int_eq(function(3), i % 3 == 2 ? 3 : 24 * 3);
    jit_world_remove(object);
  }
  jit_world_finish();
  jit_world_stop();
}
END_TEST

static struct carrier {
  struct _Unwind_Exception header;
  int64_t value;
} thrown;

static int64_t value_of(struct _Unwind_Exception *exception) {
  return ((struct carrier *)exception)->value;
}

static enum spgc_unwinding outlook, outcome;

static int64_t leave(int64_t value) {
  spgc_collect(SPGC_COLLECTION_FULL);
  thrown = (struct carrier){.value = 100};
  outcome = SPGC_UNWIND_NO_LANDING_PAD;
  outlook = spgc_unwind_outlook(stack_base);
  outcome = spgc_unwind(stack_base, &thrown.header);
  if (outcome == SPGC_UNWIND_FOREIGN_FRAME)
    _Unwind_RaiseException(&thrown.header);
  return value;
}

static void *leave_protected(void *value) {
  return (void *)leave((int64_t)value);
}

static void *protect_twice(void *value) {
  return spgc_protect(leave_protected, value, NULL);
}

static int64_t leave_through_protected_calls(int64_t value) {
  return (int64_t)spgc_protect(protect_twice, (void *)value, NULL);
}

static int64_t run_unwinding_by(int64_t (*leaving)(int64_t), const char *options,
                                unsigned optimisation, const char *name, int64_t depth) {
  start(options);
  jit_world_define("leave", (void *)leaving);
  jit_world_define("value_of", (void *)value_of);
  jit_world_load_file("unwinding.ll", optimisation);
  stack_base = __builtin_frame_address(0);
  int64_t result = jit_world_run(name, depth);
  ck_assert_ptr_null(spgc_protection());
  ck_assert_uint_gt(jit_world_finish().moved_objects, 0);
  jit_world_stop();
  return result;
}

static int64_t run_unwinding(const char *options, unsigned optimisation, const char *name,
                             int64_t depth) {
  return run_unwinding_by(leave, options, optimisation, name, depth);
}

START_TEST(one_pass_leaves_frames_for_a_landing_pad) {
  ck_assert_int_eq(run_unwinding(jit_world_hostile, (unsigned)_i, "catch", 20), 121);
  ck_assert_int_eq(outlook, SPGC_UNWIND_LANDING_PAD);
}
END_TEST

START_TEST(one_pass_leaves_a_hundred_thousand_frames) {
  ck_assert_int_eq(run_unwinding("nursery=4m,move=always", 2, "catch", 100000), 121);
}
END_TEST

START_TEST(one_pass_works_without_unwind_plans) {
  ck_assert_int_eq(run_unwinding("walk=unwind,move=always,limit=64m", 2, "catch", 100), 121);
}
END_TEST

START_TEST(one_pass_does_not_skip_frames_of_cxx) {
  int64_t left = frames_left();
  ck_assert_int_eq(run_unwinding(jit_world_hostile, (unsigned)_i, "catch_beyond_cxx", 20), 121);
  ck_assert_int_eq(outcome, SPGC_UNWIND_FOREIGN_FRAME);
  ck_assert_int_eq(frames_left(), left + 1);
}
END_TEST

START_TEST(exceptions_end_protected_calls) {
  const char *name = _i < 4 ? "catch" : "catch_beyond_cxx";
  ck_assert_int_eq(run_unwinding_by(leave_through_protected_calls, jit_world_hostile,
                                    (unsigned)_i % 4, name, 20),
                   121);
  ck_assert_int_eq(outcome, _i < 4 ? SPGC_UNWIND_NO_LANDING_PAD : SPGC_UNWIND_FOREIGN_FRAME);
}
END_TEST

START_TEST(one_pass_without_a_landing_pad_changes_nothing) {
  ck_assert_int_eq(run_unwinding(jit_world_hostile, (unsigned)_i, "descend", 20), 0);
  ck_assert_int_eq(outlook, SPGC_UNWIND_NO_LANDING_PAD);
  ck_assert_int_eq(outcome, SPGC_UNWIND_NO_LANDING_PAD);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-exceptions");
  TCase *tcase = tcase_create("jit");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, references_in_registers_are_relocated_in_landing_pads, 0, 4);
  tcase_add_test(tcase, cxx_catches_what_passes_through_generated_frames);
  tcase_add_loop_test(tcase, a_landing_pad_of_cxx_is_entered_for_the_type_it_names, 0, 4);
  tcase_add_loop_test(tcase, the_end_of_a_thread_runs_cleanups_and_is_not_caught, 0, 4);
  tcase_add_test(tcase, objects_come_and_go_between_exceptions);
  suite_add_tcase(suite, tcase);
  TCase *one_pass = tcase_create("one pass");
  tcase_set_timeout(one_pass, 120);
  tcase_add_loop_test(one_pass, one_pass_leaves_frames_for_a_landing_pad, 0, 4);
  tcase_add_test(one_pass, one_pass_leaves_a_hundred_thousand_frames);
  tcase_add_loop_test(one_pass, one_pass_does_not_skip_frames_of_cxx, 0, 4);
  tcase_add_loop_test(one_pass, exceptions_end_protected_calls, 0, 8);
  tcase_add_loop_test(one_pass, one_pass_without_a_landing_pad_changes_nothing, 0, 4);
  tcase_add_test(one_pass, one_pass_works_without_unwind_plans);
  suite_add_tcase(suite, one_pass);
  return suite_run(suite);
}
