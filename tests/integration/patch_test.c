/* Call sites that are patched: while nobody runs them, while their callee collects, while another
 * thread runs them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "spgc/stackmap.h"
#include "spgc/thread.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

enum { SITE_ID = 4711, SLED = 21, OBJECT = 21000 };

static void *site;

static void patch(number_function *target) {
  struct spgc_error error;
  ck_assert_ok(spgc_jit_patch_call(jit_world_jit, site, SLED, (void *)(uintptr_t)target, &error),
               error);
}

static int64_t nobody(int64_t n) {
  return -1;
}

static void start(const char *options, unsigned level) {
  uintptr_t found[2];
  jit_world_start(options);
  jit_world_define("nobody", (void *)nobody);
  jit_world_load_file("patchable.ll", level);
  ck_assert_uint_eq(spgc_stackmap_call_sites(SITE_ID, found, 2), 1);
  site = (void *)found[0];
}

static int64_t twice(int64_t n) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  return 2 * n;
}

/* The call that is under way returns to where it came from; the next one goes elsewhere. */
static int64_t redirect(int64_t n) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  patch(twice);
  spgc_collect(SPGC_COLLECTION_FULL);
  return n + 1;
}

START_TEST(a_call_is_redirected_while_its_callee_collects) {
  struct spgc_error error;
  start(jit_world_hostile, (unsigned)_i);
  patch(redirect);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  number_function *call = (number_function *)(uintptr_t)jit_world_lookup("call_through_sled");
  ck_assert_int_eq(call(7), OBJECT + 8);
  ck_assert_int_eq(call(7), OBJECT + 14);
  patch(redirect);
  ck_assert_int_eq(call(8), OBJECT + 9);
  ck_assert_uint_ge(jit_world_finish().moved_objects, 5);
  jit_world_stop();
}
END_TEST

static atomic_bool done;

static int64_t one(int64_t n) {
  return 1;
}

static int64_t two(int64_t n) {
  return 2;
}

static void *redirect_often(void *unused) {
  for (unsigned i = 0; !atomic_load(&done); i++)
    patch(i % 2 == 0 ? one : two);
  return NULL;
}

START_TEST(a_call_is_redirected_while_another_thread_makes_it) {
  enum { CALLS = 200000 };
  struct spgc_error error;
  uint64_t answers[3] = {0};
  pthread_t thread;
  start("nursery=64k", 2);
  patch(one);
  number_function *call = (number_function *)(uintptr_t)jit_world_lookup("call_through_sled");
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  ck_assert_int_eq(pthread_create(&thread, NULL, redirect_often, NULL), 0);
  for (int i = 0; i < CALLS || answers[1] == 0 || answers[2] == 0; i++) {
    int64_t answer = call(0) - OBJECT;
    ck_assert(answer == 1 || answer == 2);
    answers[answer]++;
  }
  atomic_store(&done, true);
  pthread_join(thread, NULL);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

static bool is_executable_and_writable(const char *line) {
  const char *permissions = strchr(line, ' ');
  return permissions != NULL && permissions[2] == 'w' && permissions[3] == 'x';
}

START_TEST(no_memory_is_writable_and_executable) {
  start("limit=64m", 2);
  patch(one);
  patch(two);
  FILE *maps = fopen("/proc/self/maps", "r");
  ck_assert_ptr_nonnull(maps);
  char line[512];
  while (fgets(line, sizeof line, maps) != NULL)
    ck_assert_msg(!is_executable_and_writable(line), "%s", line);
  fclose(maps);
  jit_world_stop();
}
END_TEST

START_TEST(only_sleds_are_patched) {
  struct spgc_error error;
  start("limit=64m", 2);
  char *end = site;
  void *target = (void *)(uintptr_t)one;
  ck_assert_int_eq(spgc_jit_patch_call(jit_world_jit, end, SLED + 4, target, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_jit_patch_call(jit_world_jit, end + 3, SLED, target, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_jit_patch_call(jit_world_jit, end, 5, target, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_jit_patch_call(jit_world_jit, &error, SLED, target, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  patch(one);
  ck_assert_int_eq(jit_world_run("call_through_sled", 7), OBJECT + 1);
  jit_world_finish();
  jit_world_stop();
}
END_TEST

START_TEST(a_patched_object_is_removed_and_loaded_again) {
  jit_world_start("limit=64m");
  jit_world_define("nobody", (void *)nobody);
  for (int round = 0; round < 520; round++) { /* a page has fewer slots */
    uintptr_t found[2];
    struct spgc_jit_object *object = jit_world_load_file("patchable.ll", 0);
    ck_assert_uint_eq(spgc_stackmap_call_sites(SITE_ID, found, 2), 1);
    site = (void *)found[0];
    patch(round % 2 == 0 ? one : two);
    ck_assert_int_eq(jit_world_run("call_through_sled", 7), OBJECT + 1 + round % 2);
    jit_world_finish();
    jit_world_remove(object);
  }
  jit_world_stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-patch");
  TCase *tests = tcase_create("patch");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, a_call_is_redirected_while_its_callee_collects, 0, 4);
  tcase_add_test(tests, a_call_is_redirected_while_another_thread_makes_it);
  tcase_add_test(tests, no_memory_is_writable_and_executable);
  tcase_add_test(tests, only_sleds_are_patched);
  tcase_add_test(tests, a_patched_object_is_removed_and_loaded_again);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
