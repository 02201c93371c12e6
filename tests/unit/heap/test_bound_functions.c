/* Forbidden calls of source finders and of fork handlers. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "fatal_check.h"
#include "gc/naming/code_name.h"
#include "heap_world.h"
#include "spgc/code_name.h"
#include "spgc/protect.h"

static void *do_nothing(void *argument) {
  return argument;
}

static void allocate(void) {
  spgc_allocate_array(&world_bytes, 100000);
}

static void collect(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static void block(void) {
  spgc_call_blocking(do_nothing, NULL);
}

static void fork_here(void) {
  if (fork() == 0)
    _exit(0);
}

static void leave(void) {
  spgc_leave(NULL, NULL);
}

static void attach(void) {
  spgc_thread_attach(__builtin_frame_address(0), NULL);
}

static void (*call)(void);

static bool call_and_find(void *context, uintptr_t instruction, uint64_t statepoint_id,
                          struct spgc_source_place *place) {
  call();
  return false;
}

static void *find(void *unused) {
  struct spgc_code_source source;
  spgc_code_find_source((uintptr_t)do_nothing, 0, &source);
  return unused;
}

static void call_in_finder(void) {
  world_open("");
  spgc_set_source_finder(call_and_find, NULL);
  spgc_protect(find, NULL, NULL);
}

static const struct {
  void (*call)(void);
  const char *message;
} in_finder[] = {
    {allocate, "spgc_allocate_array: a source finder must not reach a safepoint"},
    {collect, "spgc_collect: a source finder"},
    {block, "spgc_call_blocking: a source finder"},
    {spgc_thread_detach, "spgc_thread_detach: a source finder"},
    {fork_here, "fork: a source finder"},
    {leave, "spgc_leave: a visitor of a stack walk, a listener's callback and a source finder"},
};

START_TEST(source_finders_come_to_no_safepoint) {
  call = in_finder[_i].call;
  check_is_fatal(call_in_finder, in_finder[_i].message);
}
END_TEST

static void call_in_handler(void) {
  call();
}

static void fork_attached(void) {
  ck_assert_int_eq(pthread_atfork(call_in_handler, NULL, NULL), 0);
  world_open("");
  fork_here();
}

static void fork_unattached(void) {
  ck_assert_int_eq(pthread_atfork(call_in_handler, NULL, NULL), 0);
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  fork_here();
}

static void attach_in_child(void) {
  ck_assert_int_eq(pthread_atfork(NULL, NULL, call_in_handler), 0);
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  if (status_of(child) != 0)
    abort();
}

static const struct {
  void (*body)(void);
  void (*call)(void);
  const char *message;
} in_handler[] = {
    {fork_attached, collect, "spgc_collect: a fork handler that was registered before spgc_start"},
    {fork_attached, allocate, "spgc_allocate_array: a fork handler"},
    {fork_attached, block, "spgc_call_blocking: a fork handler"},
    {fork_attached, spgc_thread_detach, "spgc_thread_detach: a fork handler"},
    {fork_unattached, attach, "spgc_thread_attach: a fork handler"},
    {attach_in_child, attach, "spgc_thread_attach: a fork handler"},
};

START_TEST(early_fork_handlers_come_to_no_safepoint) {
  alarm(60); /* which only means a hang */
  call = in_handler[_i].call;
  check_is_fatal(in_handler[_i].body, in_handler[_i].message);
}
END_TEST

static unsigned handled;

static void count(void) {
  handled++;
}

START_TEST(early_fork_handlers_that_do_not_are_called) {
  ck_assert_int_eq(pthread_atfork(count, count, NULL), 0);
  world_open("");
  fork_here();
  ck_assert_uint_eq(handled, 2);
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_close();
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

int main(void) {
  Suite *suite = suite_create("heap-bound-functions");
  TCase *tcase = tcase_create("bound functions");
  tcase_set_timeout(tcase, 60);
  tcase_add_loop_test(tcase, source_finders_come_to_no_safepoint, 0, COUNT(in_finder));
  tcase_add_loop_test(tcase, early_fork_handlers_come_to_no_safepoint, 0, COUNT(in_handler));
  tcase_add_test(tcase, early_fork_handlers_that_do_not_are_called);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
