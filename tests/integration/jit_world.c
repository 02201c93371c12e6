#include "tests/integration/jit_world.h"

#include <stdlib.h>

#include "spgc/thread.h"

const char jit_world_hostile[] =
    "stress=every-allocation,verify=full,poison=on,move=always,walk=differential,seed=7,limit=64m";

struct spgc_jit *jit_world_jit;

void jit_world_start(const char *option_text) {
  struct spgc_error error;
  struct spgc_options options;
  spgc_options_default(&options);
  ck_assert_ok(spgc_options_parse(&options, option_text, &error), error);
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  ck_assert_ok(spgc_start(&options, &error), error);
  ck_assert_ok(spgc_jit_create(&jit_world_jit, &error), error);
}

void jit_world_stop(void) {
  spgc_jit_destroy(jit_world_jit);
  jit_world_jit = NULL;
  spgc_stop();
}

void jit_world_define(const char *name, void *address) {
  struct spgc_error error;
  ck_assert_ok(spgc_jit_define(jit_world_jit, name, address, &error), error);
}

void *jit_world_lookup(const char *name) {
  struct spgc_error error;
  void *address;
  ck_assert_ok(spgc_jit_lookup(jit_world_jit, name, &address, &error), error);
  return address;
}

struct spgc_jit_object *jit_world_load_text(const char *text, unsigned optimisation) {
  struct spgc_error error;
  struct spgc_jit_object *object;
  ck_assert_ok(spgc_jit_add(jit_world_jit, compile_for_jit(text, optimisation), &object, &error),
               error);
  return object;
}

struct spgc_jit_object *jit_world_load_file(const char *name, unsigned optimisation) {
  char *text = compile_read(name);
  struct spgc_jit_object *object = jit_world_load_text(text, optimisation);
  free(text);
  return object;
}

void jit_world_remove(struct spgc_jit_object *object) {
  struct spgc_error error;
  ck_assert_ok(spgc_jit_remove(jit_world_jit, object, &error), error);
}

int64_t jit_world_run(const char *name, int64_t argument) {
  struct spgc_error error;
  number_function *function = (number_function *)(uintptr_t)jit_world_lookup(name);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  int64_t result = function(argument);
  return result;
}

struct spgc_statistics jit_world_finish(void) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  spgc_thread_detach();
  return statistics;
}

unsigned jit_world_number(const char *name, unsigned otherwise) {
  const char *given = getenv(name);
  return given != NULL ? (unsigned)strtoul(given, NULL, 10) : otherwise;
}

void jit_world_free_removed(void) {
  jit_world_remove(jit_world_load_text("@space = global [1048576 x i8] zeroinitializer\n", 0));
}
