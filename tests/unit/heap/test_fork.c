/* Forks at every place (fork_places.c), beside every work of other threads (fork_others.c). Each
 * child uses everything that has a lock (fork_child.c). */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "fork_child.h"
#include "fork_others.h"
#include "fork_places.h"
#include "heap_world.h"
#include "sleeping_thread.h"
#include "spgc/fork.h"
#include "spgc/generated.h"

#ifdef __SANITIZE_THREAD__
/* A child's marking has a thread, for which ThreadSanitizer would end the child. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
  return "die_after_fork=0";
}
#endif

static void *wait_for_child(void *status) {
  fork_require(waitpid(forked, status, 0) == forked, "no child to wait for");
  return status;
}

static void fork_once(const struct fork_place *place, const struct fork_occupation *occupation) {
  int status;
  pid_t parent = getpid();
  place->fork();
  if (getpid() != parent)
    fork_use_everything_in_child();
  spgc_call_blocking(wait_for_child, &status);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                "forked %s while others %s: status %#x", place->name, occupation->name,
                (unsigned)status);
}

/* Other threads may be inside malloc when the process is copied, and then only the C library's lets
 * the child allocate. In those of gcc 12's sanitizers, a child would wait for a lock of a thread
 * that does not exist there. */
enum { ALLOCATOR_SURVIVES_FORK = !WORLD_IS_SANITIZED };

/* Tests one pair in this many, because sanitizers copy much of their own at each fork. */
static int share(void) {
  return (int)world_number("SPGC_TEST_SHARE", WORLD_IS_SANITIZED ? 2 : 1);
}

enum { PAIRS = FORK_PLACES * FORK_OCCUPATIONS };
_Static_assert(FORK_OCCUPATIONS % 2 == 1, "every second pair has each place and each occupation");

START_TEST(a_child_uses_the_heap_as_its_parent_does) {
  int pair = _i * share();
  const struct fork_place *place = &fork_places[pair / FORK_OCCUPATIONS];
  const struct fork_occupation *occupation = &fork_occupations[pair % FORK_OCCUPATIONS];
  pthread_t threads[FORK_OTHERS];
  if (occupation->allocates_unheld && !ALLOCATOR_SURVIVES_FORK)
    return;
  world_open("limit=64m,nursery=64k");
  fork_keep_a_list();
  fork_begin_others(occupation->body, threads);
  for (uint64_t i = 0; i < world_amount(share() > 1 ? 1 : 3, 2, 1); i++)
    fork_once(place, occupation);
  fork_end_others(occupation->body, threads);
  fork_use_heap();
  spgc_global_handle_release(fork_kept);
  world_close();
}
END_TEST

START_TEST(a_child_goes_on_with_a_marking) {
  world_open("limit=64m,nursery=256k,concurrent=on,growth=0");
  fork_keep_a_list();
  struct spgc_handle old = fork_new_list(world_amount(200000, 50000, 100));
  for (uint64_t i = 0; i < (WORLD_IS_SANITIZED ? 6 : world_amount(20, 5, 3)); i++) {
    struct spgc_scope scope = spgc_scope_open();
    fork_new_list(world_amount(5000, 5000, 20));
    spgc_scope_close(scope);
    fork_once(&fork_places[i % 3], &fork_occupations[0]);
  }
  fork_check_list(old, world_amount(200000, 50000, 100));
  spgc_global_handle_release(fork_kept);
  world_close();
}
END_TEST

/* Other threads' frames, scoped handles and reserves are gone. */
START_TEST(what_only_lost_threads_referred_to_dies_in_the_child) {
  pthread_t threads[FORK_OTHERS];
  world_open("");
  fork_keep_a_list();
  fork_begin_others(fork_other_blocks, threads);
  fork_now(NULL);
  if (forked == 0) {
    alarm(FORK_HANG_SECONDS);
    spgc_collect(SPGC_COLLECTION_FULL);
    fork_require(world_statistics().live_bytes == FORK_KEPT_LENGTH * world_pair.size,
                 "lost threads' objects live on");
    _exit(0);
  }
  fork_expect_end(forked);
  fork_end_others(fork_other_blocks, threads);
  world_close();
}
END_TEST

/* A lock of the program that running attached threads wait for. */
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static long guarded[2];

static void *hold_own_lock(void *context) {
  fork_attach(__builtin_frame_address(0));
  fork_other_begins();
  while (fork_others_go_on()) {
    pthread_mutex_lock(&own);
    guarded[0]++;
    sched_yield();
    guarded[1]++;
    pthread_mutex_unlock(&own);
    spgc_poll_slow();
  }
  spgc_thread_detach();
  return context;
}

START_TEST(locks_that_were_added_are_free_in_the_child) {
  pthread_t threads[FORK_OTHERS];
  struct spgc_fork_lock lock = {.mutex = &own};
  world_open("");
  spgc_fork_lock_add(&lock);
  fork_begin_others(hold_own_lock, threads);
  for (int i = 0; i < 20; i++) {
    fork_now(NULL);
    if (forked == 0) {
      alarm(FORK_HANG_SECONDS);
      pthread_mutex_lock(&own);
      fork_require(guarded[0] == guarded[1], "the child was made inside the lock");
      pthread_mutex_unlock(&own);
      _exit(0);
    }
    fork_expect_end(forked);
  }
  fork_end_others(hold_own_lock, threads);
  spgc_fork_lock_remove(&lock);
  world_close();
}
END_TEST

START_TEST(a_process_without_a_heap_forks) {
  fork_now(NULL);
  if (forked == 0) {
    alarm(FORK_HANG_SECONDS);
    world_open("");
    fork_keep_a_list();
    fork_use_heap();
    _exit(0);
  }
  fork_expect_end(forked);
}
END_TEST

static atomic_int attaching; /* the thread's system number */
static enum spgc_result attached;

static void *try_to_attach(void *context) {
  struct spgc_error error;
  atomic_store(&attaching, gettid());
  attached = spgc_thread_attach(__builtin_frame_address(0), &error);
  if (attached == SPGC_OK)
    spgc_thread_detach();
  return context;
}

static pthread_t waits_to_attach;

/* Registered before the heap's handlers, so called with the world stopped. */
static void stop_heap_before_fork(void) {
  fork_require(pthread_create(&waits_to_attach, NULL, try_to_attach, NULL) == 0, "no thread");
  while (atomic_load(&attaching) == 0 || !thread_sleeps(atomic_load(&attaching)))
    sched_yield();
  spgc_stop();
}

START_TEST(a_thread_that_waits_to_attach_finds_the_heap_stopped) {
  struct spgc_error error;
  pthread_atfork(stop_heap_before_fork, NULL, NULL);
  ck_assert_int_eq(spgc_start(NULL, &error), SPGC_OK);
  fork_now(NULL);
  if (forked == 0)
    _exit(0);
  fork_expect_end(forked);
  pthread_join(waits_to_attach, NULL);
  ck_assert_int_eq(attached, SPGC_ERROR_STATE);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-fork");
  TCase *places = tcase_create("places"), *tcase = tcase_create("states");
  tcase_set_timeout(places, 2 * FORK_HANG_SECONDS);
  tcase_set_timeout(tcase, 2 * FORK_HANG_SECONDS);
  tcase_add_loop_test(places, a_child_uses_the_heap_as_its_parent_does, 0,
                      (PAIRS + share() - 1) / share());
  tcase_add_test(tcase, a_child_goes_on_with_a_marking);
  tcase_add_test(tcase, what_only_lost_threads_referred_to_dies_in_the_child);
  tcase_add_test(tcase, locks_that_were_added_are_free_in_the_child);
  tcase_add_test(tcase, a_process_without_a_heap_forks);
  tcase_add_test(tcase, a_thread_that_waits_to_attach_finds_the_heap_stopped);
  suite_add_tcase(suite, places);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
