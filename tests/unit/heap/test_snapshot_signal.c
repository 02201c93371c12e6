#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "heap_world.h"
#include "snapshot_file.h"
#include "spgc/events.h"
#include "spgc/generated.h"
#include "spgc/snapshot.h"

static void wait_for_file(void) {
  while (access(snapshot_path, R_OK) != 0)
    spgc_collect(SPGC_COLLECTION_MINOR);
}

START_TEST(a_signal_asks_for_one) {
  struct spgc_error error;
  world_open("");
  world_new_list(100);
  snapshot_path_choose();
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGKILL, snapshot_path, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, NULL, &error), SPGC_ERROR_STATE);
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, snapshot_path, &error), SPGC_OK);
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR1, snapshot_path, &error), SPGC_ERROR_STATE);
  for (int i = 0; i < 2; i++) {
    raise(SIGUSR2);
    wait_for_file();
    snapshot_file_check();
  }
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, NULL, &error), SPGC_OK);
  struct sigaction action;
  sigaction(SIGUSR2, NULL, &action);
  ck_assert(action.sa_handler == SIG_DFL);
  world_close();
}
END_TEST

/* The snapshot waits for this thread's safepoint. */
START_TEST(a_thread_that_is_waited_for_gives_the_signal_back) {
  struct spgc_error error;
  world_open("");
  world_new_list(100);
  snapshot_path_choose();
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, snapshot_path, &error), SPGC_OK);
    uintptr_t before = spgc_thread.poll;
    raise(SIGUSR2);
    while (__atomic_load_n(&spgc_thread.poll, __ATOMIC_SEQ_CST) == before)
      sched_yield();
    ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, NULL, &error), SPGC_OK);
    snapshot_file_check();
  }
  world_close();
}
END_TEST

static void *give_back(void *result) {
  *(enum spgc_result *)result = spgc_snapshot_on_signal(SIGUSR2, NULL, NULL);
  return NULL;
}

static void *open_reader(void *reader) {
  *(int *)reader = open(snapshot_path, O_RDONLY);
  return NULL;
}

static void *read_to_end(void *reader) {
  char bytes[4096];
  while (read(*(int *)reader, bytes, sizeof bytes) > 0)
    continue;
  return NULL;
}

static bool is_caught(int signal) {
  struct sigaction action;
  sigaction(signal, NULL, &action);
  return action.sa_handler != SIG_DFL;
}

/* The snapshot is incomplete until the pipe is read. */
START_TEST(a_signal_is_chosen_when_the_one_before_is_given_back) {
  struct spgc_error error;
  enum spgc_result result = SPGC_ERROR_STATE;
  pthread_t thread;
  int reader;
  world_open("");
  snapshot_outgrow_pipe();
  snapshot_path_choose();
  ck_assert_int_eq(mkfifo(snapshot_path, 0600), 0);
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, snapshot_path, &error), SPGC_OK);
  raise(SIGUSR2);
  spgc_call_blocking(open_reader, &reader);
  pthread_create(&thread, NULL, give_back, &result);
  while (is_caught(SIGUSR2))
    spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR1, snapshot_path, &error), SPGC_ERROR_STATE);
  ck_assert_msg(strstr(error.message, "is being restored") != NULL, "%s", error.message);
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, NULL, &error), SPGC_ERROR_STATE);
  spgc_call_blocking(read_to_end, &reader);
  pthread_join(thread, NULL);
  ck_assert_int_eq(result, SPGC_OK);
  close(reader);
  unlink(snapshot_path);
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR1, snapshot_path, &error), SPGC_OK);
  raise(SIGUSR1);
  wait_for_file();
  snapshot_file_check();
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR1, NULL, &error), SPGC_OK);
  world_close();
}
END_TEST

static struct spgc_error inside;
static enum spgc_result inside_result;

static void give_back_in_pause(void *context, const struct spgc_collection_end_event *event) {
  inside_result = spgc_snapshot_on_signal(SIGUSR2, NULL, &inside);
}

static struct spgc_listener gives_back = {.size = sizeof gives_back,
                                          .collection_end = give_back_in_pause};

START_TEST(no_pause_waits_for_the_thread_of_a_signal) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_listener_add(&gives_back, NULL), SPGC_OK);
  snapshot_path_choose();
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, snapshot_path, &error), SPGC_OK);
  world_open("");
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_int_eq(inside_result, SPGC_ERROR_STATE);
  ck_assert_msg(strstr(inside.message, "the world is stopped") != NULL, "%s", inside.message);
  world_close();
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR2, NULL, &error), SPGC_OK);
}
END_TEST

/* "OPTION=FILE:on-signal=SIGNAL". */
static void open_with(const char *option, const char *signal) {
  char settings[200];
  snapshot_path_choose();
  snprintf(settings, sizeof settings, "%s=%s:on-signal=%s", option, snapshot_path, signal);
  world_open(settings);
}

START_TEST(the_option_has_a_snapshot_written_at_each_signal_and_none_at_the_end) {
  for (int run = 0; run < 2; run++) {
    open_with("snapshot", "USR2");
    world_new_list(100);
    for (int i = 0; i < 2; i++) {
      raise(SIGUSR2);
      wait_for_file();
      snapshot_file_check();
    }
    world_close();
    ck_assert_int_ne(access(snapshot_path, F_OK), 0);
    ck_assert(!is_caught(SIGUSR2));
  }
}
END_TEST

START_TEST(the_option_has_a_profile_written_at_each_signal_and_none_at_the_end) {
  struct spgc_error error;
  open_with("profile", "USR1");
  for (int i = 0; i < 2; i++) {
    world_new_list(100);
    raise(SIGUSR1);
    wait_for_file();
    struct stat status;
    ck_assert_int_eq(stat(snapshot_path, &status), 0);
    ck_assert_int_gt(status.st_size, 0);
    unlink(snapshot_path);
  }
  ck_assert_int_eq(spgc_snapshot_on_signal(SIGUSR1, "other", &error), SPGC_ERROR_STATE);
  ck_assert_msg(strstr(error.message, "another file, test-") != NULL, "%s", error.message);
  world_close();
  ck_assert_int_ne(access(snapshot_path, F_OK), 0);
  ck_assert(!is_caught(SIGUSR1));
}
END_TEST

static void ask_this_process(void) {
  snapshot_path_choose();
  raise(SIGUSR2);
  wait_for_file();
  snapshot_file_check();
}

static int ask_child(void) {
  world_new_list(10);
  ask_this_process();
  spgc_thread_detach();
  spgc_stop();
  return is_caught(SIGUSR2);
}

/* The parent's thread is idle when children are made, because gcc's AddressSanitizer leaves a
 * beginning thread's locks locked there. */
START_TEST(forked_children_serve_the_signal_too) {
  world_open("snapshot=test-%p.heapsnapshot:on-signal=USR2");
  ask_this_process();
  for (int i = 0; i < 3; i++) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0)
      _exit(ask_child());
    ck_assert_int_eq(status_of(child), 0);
  }
  ask_this_process();
  world_close();
}
END_TEST

static void handle(int signal) {
}

static void check_refused(const char *settings, enum spgc_result result, const char *message) {
  struct spgc_error error;
  ck_assert_int_eq(setenv("SPGC_OPTIONS", settings, 1), 0);
  ck_assert_int_eq(spgc_start(NULL, &error), result);
  ck_assert_msg(strstr(error.message, message) != NULL, "%s", error.message);
}

START_TEST(a_signal_that_the_program_handles_is_refused) {
  signal(SIGUSR2, handle);
  check_refused("snapshot=a:on-signal=USR2", SPGC_ERROR_STATE,
                "the option snapshot asks for SIGUSR2, but the program has a handler for it");
  check_refused("profile=a:on-signal=USR2", SPGC_ERROR_STATE, "the option profile asks for");
  check_refused("snapshot=a:on-signal=USR1,profile=b:on-signal=USR1", SPGC_ERROR_INVALID_ARGUMENT,
                "ask for the same signal");
  struct spgc_options options = {.size = sizeof options, .snapshot_signal = SIGUSR1};
  struct spgc_error error;
  unsetenv("SPGC_OPTIONS");
  ck_assert_int_eq(spgc_start(&options, &error), SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_msg(strstr(error.message, "no file is named") != NULL, "%s", error.message);
  ck_assert(is_caught(SIGUSR2));
}
END_TEST

START_TEST(a_handler_that_the_program_sets_later_stays) {
  struct sigaction action;
  open_with("snapshot", "USR2");
  signal(SIGUSR2, handle);
  world_close();
  sigaction(SIGUSR2, NULL, &action);
  ck_assert(action.sa_handler == handle);
}
END_TEST

CHECK_MAIN_WITHIN(120, "snapshot-signal", a_signal_asks_for_one,
                  a_thread_that_is_waited_for_gives_the_signal_back,
                  a_signal_is_chosen_when_the_one_before_is_given_back,
                  no_pause_waits_for_the_thread_of_a_signal,
                  the_option_has_a_snapshot_written_at_each_signal_and_none_at_the_end,
                  the_option_has_a_profile_written_at_each_signal_and_none_at_the_end,
                  forked_children_serve_the_signal_too,
                  a_signal_that_the_program_handles_is_refused,
                  a_handler_that_the_program_sets_later_stays)
