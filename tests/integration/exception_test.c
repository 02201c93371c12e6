/* Exceptions through code loaded by the JIT: landing pads, frames without one, C++ that catches, objects that go. */
#include "spgc/exception.h"
#include "spgc/stackwalk.h"
#include "spgc/thread.h"
#include "tests/integration/cxx/throws.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

static void *stack_base;
static uint64_t roots_in_registers; /* of calls with a landing pad */

static void count_register(void *context, const struct spgc_frame *frame, const struct spgc_root *root) {
  roots_in_registers += frame->statepoint_id == 77 && root->base_in_register;
}

void look_around(void) {
  const struct spgc_stack_visitor visitor = {.root = count_register};
  spgc_walk_stack(stack_base, &visitor, NULL);
}

/* What a test that links the library statically does not export. */
static void start(const char *options) {
  jit_world_start(options);
  jit_world_define("call_from_cxx", (void *)call_from_cxx);
  jit_world_define("call_from_c", (void *)call_from_c);
  jit_world_define("throw_from_cxx", (void *)throw_from_cxx);
  jit_world_define("throw_text_from_cxx", (void *)throw_text_from_cxx);
  jit_world_define("catch_in_cxx", (void *)catch_in_cxx);
  jit_world_define("frames_left", (void *)frames_left);
  jit_world_define("look_around", (void *)look_around);
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

/* Their unwind information goes with them: code that is loaded where other code was is unwound by its own. */
START_TEST(objects_come_and_go_between_exceptions) {
  struct spgc_error error;
  start("verify=full,move=always,walk=differential,seed=5,limit=64m");
  stack_base = __builtin_frame_address(0);
  ck_assert_ok(spgc_thread_attach(stack_base, &error), error);
  for (unsigned i = 0; i < 24; i++) {
    struct spgc_jit_object *object = jit_world_load_file(i % 3 == 2 ? "exceptions_by_type.ll" : "exceptions.ll", i % 4);
    const char *name = i % 3 == 2 ? "catch_other" : "round";
    number_function *function = (number_function *)(uintptr_t)jit_world_lookup(name);
    ck_assert_int_eq(function(3), i % 3 == 2 ? 3 : 24 * 3);
    jit_world_remove(object);
  }
  jit_world_finish();
  jit_world_stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-exceptions");
  TCase *tcase = tcase_create("jit");
  tcase_set_timeout(tcase, 120);
  tcase_add_loop_test(tcase, references_in_registers_are_relocated_in_landing_pads, 0, 4);
  tcase_add_test(tcase, cxx_catches_what_passes_through_generated_frames);
  tcase_add_loop_test(tcase, a_landing_pad_of_cxx_is_entered_for_the_type_it_names, 0, 4);
  tcase_add_test(tcase, objects_come_and_go_between_exceptions);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
