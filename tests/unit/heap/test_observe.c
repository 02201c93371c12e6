/* Everything at once while the heap starts and stops, for ThreadSanitizer. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "heap_world.h"
#include "log_lines.h"
#include "spgc/profile.h"
#include "spgc/snapshot.h"

enum { PATH_BYTES = 300 };
static char log_file[2][PATH_BYTES], trace[PATH_BYTES], profile[PATH_BYTES], written[PATH_BYTES],
    snapshot[PATH_BYTES];

static void choose(char path[PATH_BYTES], const char *name) {
  snprintf(path, PATH_BYTES, "%s", log_path(name));
}

static void choose_files(void) {
  log_folder_make();
  choose(log_file[0], "a");
  choose(log_file[1], "b");
  choose(trace, "trace");
  choose(profile, "profile");
  choose(written, "written");
  choose(snapshot, "snapshot");
}

/* A bounded number of questions, however slowly a busy machine runs the heap. */
enum { ROUNDS = 4, MOST_ASKED = WORLD_IS_SANITIZED ? 20 : 100 };
static pthread_barrier_t round_begins;
static atomic_int rounds_done;

static void ask_for_snapshot(void) {
  raise(SIGUSR2);
}

/* Refused while the heap is stopped. */
static void write_profile(void) {
  spgc_profile_write(written, NULL);
}

/* Stops the world and sends events, with a heap or without. */
static void fork_once(void) {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  ck_assert_int_eq(status_of(child), 0);
}

static void (*const asked[])(void) = {ask_for_snapshot, write_profile, fork_once};
enum { ASKERS = sizeof asked / sizeof *asked };

static void *ask(void *function) {
  for (int round = 0; round < ROUNDS; round++) {
    pthread_barrier_wait(&round_begins);
    for (int i = 0; i < MOST_ASKED && atomic_load(&rounds_done) == round; i++) {
      (*(void (*const *)(void))function)();
      sched_yield();
    }
  }
  return NULL;
}

static void *allocate(void *unused) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  world_churn(1);
  spgc_thread_detach();
  return unused;
}

static void run_heap(int round) {
  pthread_t other;
  char options[4 * PATH_BYTES];
  snprintf(options, sizeof options,
           "log=all:%s,trace=%s,profile=%s:4096,limit=8m,nursery=256k,concurrent=on,threads=2,"
           "slow_stop=always",
           log_file[round % 2], trace, profile);
  world_open_fixed(options);
  ck_assert_int_eq(pthread_create(&other, NULL, allocate, NULL), 0);
  world_churn(1);
  join_blocking(other);
  world_close();
}

START_TEST(all_observers_at_once) {
  pthread_t askers[ASKERS];
  choose_files();
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, snapshot, NULL), SPGC_OK);
  ck_assert_int_eq(pthread_barrier_init(&round_begins, NULL, ASKERS + 1), 0);
  for (int i = 0; i < ASKERS; i++)
    ck_assert_int_eq(pthread_create(&askers[i], NULL, ask, (void *)&asked[i]), 0);
  for (int round = 0; round < ROUNDS; round++) {
    pthread_barrier_wait(&round_begins);
    run_heap(round);
    atomic_store(&rounds_done, round + 1);
  }
  for (int i = 0; i < ASKERS; i++)
    join(&askers[i]);
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, NULL, NULL), SPGC_OK);
  log_check(log_file[0], LOG_SUMMARY "collections: ", (uint64_t)ROUNDS / 2);
  log_check(log_file[1], LOG_SUMMARY "collections: ", (uint64_t)ROUNDS / 2);
  log_folder_remove();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-observe", all_observers_at_once)
