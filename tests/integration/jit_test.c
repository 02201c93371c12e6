/* JIT code that allocates, is walked, moved under, removed and loaded again. */
#include <stdlib.h>
#include <string.h>

#include "spgc/heap.h"
#include "spgc/thread.h"
#include "tests/integration/compile.h"
#include "tests/support/suite.h"

static struct spgc_jit *jit;

static const char hostile[] = "stress=every-allocation,verify=full,poison=on,move=always,seed=7,limit=64m";

static void start(const char *option_text) {
  struct spgc_error error;
  struct spgc_options options;
  spgc_options_default(&options);
  ck_assert_ok(spgc_options_parse(&options, option_text, &error), error);
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  ck_assert_ok(spgc_start(&options, &error), error);
  ck_assert_ok(spgc_jit_create(&jit, &error), error);
}

static void stop(void) {
  spgc_jit_destroy(jit);
  jit = NULL;
  spgc_stop();
}

static void *lookup(const char *name) {
  struct spgc_error error;
  void *address;
  ck_assert_ok(spgc_jit_lookup(jit, name, &address, &error), error);
  return address;
}

static struct spgc_jit_object *load_text(const char *text, unsigned optimisation) {
  struct spgc_error error;
  struct spgc_jit_object *object;
  ck_assert_ok(spgc_jit_add(jit, compile_for_jit(text, optimisation), &object, &error), error);
  return object;
}

static struct spgc_jit_object *load_file(const char *name, unsigned optimisation) {
  char *text = compile_read(name);
  struct spgc_jit_object *object = load_text(text, optimisation);
  free(text);
  return object;
}

typedef int64_t number_function(int64_t);

/* Calls generated code on an attached thread. */
static int64_t run(const char *name, int64_t argument) {
  struct spgc_error error;
  number_function *function = (number_function *)(uintptr_t)lookup(name);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  int64_t result = function(argument);
  return result;
}

static struct spgc_statistics finish_run(void) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  spgc_thread_detach();
  return statistics;
}

START_TEST(collects_while_jit_frames_are_active) {
  start("nursery=64k");
  load_file("list.ll", (unsigned)_i);
  ck_assert_int_eq(run("managed_run", 20000), 20000LL * 20001 / 2);
  struct spgc_statistics statistics = finish_run();
  ck_assert_uint_gt(statistics.minor_collections, 0);
  ck_assert_uint_gt(statistics.moved_objects, 0);
  stop();
}
END_TEST

START_TEST(moves_every_object_at_every_safepoint) {
  start(hostile);
  load_file("list.ll", (unsigned)_i);
  ck_assert_int_eq(run("managed_run", 60), 60 * 61 / 2);
  struct spgc_statistics statistics = finish_run();
  ck_assert_uint_gt(statistics.moved_objects, 1000);
  ck_assert_uint_gt(statistics.registers_rewritten, 0);
  stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-jit");
  TCase *collect = tcase_create("collect");
  tcase_set_timeout(collect, 120);
  tcase_add_loop_test(collect, collects_while_jit_frames_are_active, 0, 4);
  tcase_add_loop_test(collect, moves_every_object_at_every_safepoint, 0, 4);
  suite_add_tcase(suite, collect);
  return suite_run(suite);
}
