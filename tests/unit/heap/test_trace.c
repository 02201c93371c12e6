#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "polling_thread.h"
#include "spgc/events.h"
#include "trace_reader.h"

static char folder[] = "/tmp/spgc-trace-XXXXXX";
static char file[64];

static void make_folder(void) {
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(file, sizeof file, "%s/trace.json", folder);
}

static void remove_folder(void) {
  ck_assert_msg(unlink(file) == 0 || errno == ENOENT, "%s", strerror(errno));
  ck_assert_msg(rmdir(folder) == 0, "%s: %s", folder, strerror(errno));
}

static const char *with_trace(const char *options) {
  static char text[256];
  snprintf(text, sizeof text, "%s,trace=%s", options, file);
  return text;
}

static bool exists(const char *path) {
  struct stat status;
  return stat(path, &status) == 0;
}

START_TEST(collections_are_filled_by_their_parts_and_agree_with_the_statistics) {
  make_folder();
  /* A short pause would have all promoted in place. */
  world_open(with_trace("limit=64m,nursery=256k,move=always"));
  uint64_t length = world_amount(60000, 5000, 100);
  struct spgc_handle list = world_new_list(length);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_statistics statistics = world_statistics();
  world_check_list(list, length);
  world_close();
  struct trace trace = trace_read(file);
  ck_assert_uint_gt(statistics.moved_objects, 0);
  ck_assert_uint_eq(trace_count_collections(&trace), statistics.collections);
  ck_assert_uint_eq(trace_sum(&trace, "moved_objects"), statistics.moved_objects);
  ck_assert_uint_eq(trace_sum(&trace, "moved_bytes"), statistics.moved_bytes);
  ck_assert_uint_gt(statistics.promoted_bytes, 0);
  ck_assert_uint_eq(trace_sum(&trace, "promoted_bytes"), statistics.promoted_bytes);
  ck_assert_uint_eq(trace_sum(&trace, "frames"), statistics.frames_walked);
  ck_assert_uint_eq(trace_sum(&trace, "pause_ns"), statistics.total_pause_ns);
  ck_assert_uint_eq(trace_count_events(&trace, "C", "live"), statistics.collections);
  ck_assert_uint_eq(trace_count_events(&trace, "C", "heap"), 2 * statistics.collections);
  trace_free(&trace);
  remove_folder();
}
END_TEST

START_TEST(the_cycle_is_seen_with_its_steps) {
  make_folder();
  world_open_fixed(with_trace("limit=256m,nursery=1m,concurrent=off,verify=none"));
  world_churn(3);
  uint64_t final_marks = world_statistics().final_marks;
  world_close();
  struct trace trace = trace_read(file);
  ck_assert_uint_ge(final_marks, 3);
  ck_assert_uint_ge(trace_count(&trace, "marked"), 3);
  ck_assert_uint_eq(trace_count(&trace, "final mark") + trace_count(&trace, "partial final mark"),
                    final_marks);
  ck_assert_uint_gt(trace_count_events(&trace, "i", "target resized"), 0);
  ck_assert_uint_gt(trace_count_on(&trace, trace_track(&trace, "old space"), "sweeping"), 0);
  ck_assert_uint_gt(trace_count_on(&trace, trace_track(&trace, "mutator 1 "), "sweeping"), 0);
  trace_free(&trace);
  remove_folder();
}
END_TEST

START_TEST(exhausted_memory_is_seen) {
  make_folder();
  world_open(with_trace("limit=4m"));
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  world_fill(list);
  spgc_handle_set(list, spgc_ref_null());
  world_close();
  struct trace trace = trace_read(file);
  ck_assert_uint_eq(trace_count_events(&trace, "i", "out of memory"), 1);
  ck_assert_uint_gt(trace_count_events(&trace, "i", "blocks refused"), 0);
  trace_free(&trace);
  remove_folder();
}
END_TEST

static _Atomic uint64_t waits[3]; /* of the first thread and of the second */

static void count_wait(void *context, const struct spgc_thread_waited_event *event) {
  atomic_fetch_add(&waits[event->thread], 1);
}

static struct spgc_listener listener = {.size = sizeof listener, .thread_waited = count_wait};

START_TEST(waits_and_blocking_calls_are_on_the_track_of_their_thread) {
  struct polling_thread other;
  make_folder();
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  world_open(with_trace("limit=64m"));
  polling_thread_start(&other);
  const struct timespec moment = {.tv_nsec = 1000000};       /* so that no events are lost */
  for (; waits[1] + waits[2] == 0; nanosleep(&moment, NULL)) /* until one is asked while it runs */
    spgc_collect(SPGC_COLLECTION_MINOR);
  polling_thread_end(&other);
  world_close();
  struct trace trace = trace_read(file);
  int64_t first = trace_track(&trace, "mutator 1 "), second = trace_track(&trace, "mutator 2 ");
  ck_assert_int_ne(first, 0);
  ck_assert_int_ne(second, 0);
  ck_assert_int_ne(first, second);
  ck_assert_uint_eq(trace_count(&trace, "blocking"), 2);
  ck_assert_uint_eq(trace_count_on(&trace, first, "wait"), waits[1]);
  ck_assert_uint_eq(trace_count_on(&trace, second, "wait"), waits[2]);
  trace_free(&trace);
  remove_folder();
}
END_TEST

/* The heap is not stopped. Returns how the child ended. */
static int in_child(void (*act)(void)) {
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0)
    act();
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return status;
}

static void start_and_collect(const char *trace) {
  struct spgc_options options;
  spgc_options_default(&options);
  options.trace = trace;
  if (spgc_start(&options, NULL) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), NULL) != SPGC_OK)
    _exit(2);
  spgc_collect(SPGC_COLLECTION_FULL);
}

static void exit_with_heap(void) {
  start_and_collect(file);
  exit(0);
}

START_TEST(the_file_is_whole_when_the_process_exits_with_the_heap_started) {
  make_folder();
  ck_assert_int_eq(in_child(exit_with_heap), 0);
  struct trace trace = trace_read(file);
  ck_assert_uint_eq(trace_count_collections(&trace), 1);
  trace_free(&trace);
  remove_folder();
}
END_TEST

/* A program closes foreign descriptors, and their numbers then belong to other files. */
static void reuse_descriptors(void) {
  start_and_collect(file);
  for (int i = 3; i < 200; i++)
    close(i);
  if (chdir("/") != 0)
    _exit(3);
  int own = open(folder, O_RDONLY | O_DIRECTORY);
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_thread_detach();
  spgc_stop();
  _exit(own == 3 && fcntl(own, F_GETFD) >= 0 ? 0 : 4);
}

START_TEST(the_writer_has_descriptors_of_its_own) {
  make_folder();
  ck_assert_int_eq(in_child(reuse_descriptors), 0);
  struct trace trace = trace_read(file);
  ck_assert_uint_eq(trace_count_collections(&trace), 2);
  trace_free(&trace);
  remove_folder();
}
END_TEST

static void chdir_meanwhile(void) {
  if (chdir(folder) != 0)
    _exit(3);
  start_and_collect("trace.json");
  if (chdir("/") != 0)
    _exit(3);
  exit(0);
}

START_TEST(a_name_is_relative_to_the_folder_in_which_the_heap_was_started) {
  make_folder();
  ck_assert_int_eq(in_child(chdir_meanwhile), 0);
  ck_assert(exists(file));
  remove_folder();
}
END_TEST

static void collect_and_hang(void) {
  start_and_collect(file);
  for (;;)
    pause();
}

static void wait_for_collection(const char *path) {
  const struct timespec moment = {.tv_nsec = 20000000};
  for (;; nanosleep(&moment, NULL)) {
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
      continue;
    char text[8192];
    size_t size = fread(text, 1, sizeof text - 1, stream);
    text[size] = '\0';
    fclose(stream);
    if (strstr(text, "\"pause_ns\"") != NULL && strstr(text, "]}") != NULL)
      return;
  }
}

START_TEST(a_program_that_is_killed_leaves_a_part_that_can_be_read) {
  make_folder();
  pid_t child = fork();
  if (child == 0)
    collect_and_hang();
  char part[128];
  snprintf(part, sizeof part, "%s.%d.part", file, (int)child);
  wait_for_collection(part);
  ck_assert_int_eq(kill(child, SIGKILL), 0);
  ck_assert_int_eq(waitpid(child, NULL, 0), child);
  ck_assert(!exists(file));
  struct trace trace = trace_read(part);
  ck_assert_uint_eq(trace_count_collections(&trace), 1);
  trace_free(&trace);
  ck_assert_int_eq(unlink(part), 0);
  remove_folder();
}
END_TEST

static char numbered[128];

static void fork_and_collect(void) {
  start_and_collect(numbered);
  pid_t child = fork();
  if (child == 0) {
    spgc_collect(SPGC_COLLECTION_FULL);
    spgc_collect(SPGC_COLLECTION_FULL);
    exit(0);
  }
  int status;
  if (waitpid(child, &status, 0) != child || status != 0)
    exit(3);
  char path[160], of_child[192];
  snprintf(path, sizeof path, "%s/of_child", folder);
  snprintf(of_child, sizeof of_child, "%s/%d.json", folder, (int)child);
  rename(of_child, path);
  spgc_collect(SPGC_COLLECTION_FULL);
  exit(0);
}

START_TEST(a_child_has_a_trace_of_its_own_if_its_name_has_the_process) {
  make_folder();
  snprintf(numbered, sizeof numbered, "%s/%%p.json", folder);
  pid_t child = fork();
  if (child == 0)
    fork_and_collect();
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  char path[160];
  snprintf(path, sizeof path, "%s/%d.json", folder, (int)child);
  struct trace trace = trace_read(path);
  ck_assert_uint_eq(trace_count_collections(&trace), 2);
  ck_assert_uint_eq(trace_count(&trace, "stopped world"), 1);
  trace_free(&trace);
  unlink(path);
  snprintf(path, sizeof path, "%s/of_child", folder);
  trace = trace_read(path);
  ck_assert_uint_eq(trace_count_collections(&trace), 2);
  trace_free(&trace);
  unlink(path);
  remove_folder();
}
END_TEST

START_TEST(a_child_leaves_a_file_without_number_to_its_parent) {
  make_folder();
  snprintf(numbered, sizeof numbered, "%s", file);
  ck_assert_int_eq(in_child(fork_and_collect), 0);
  struct trace trace = trace_read(file);
  ck_assert_uint_eq(trace_count_collections(&trace), 2);
  trace_free(&trace);
  remove_folder();
}
END_TEST

/* ---- Files that cannot be written ---- */

static void log_of(void (*act)(void), char *text, size_t size) {
  int ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    act();
  }
  close(ends[1]);
  size_t used = 0;
  for (ssize_t count; (count = read(ends[0], text + used, size - used - 1)) > 0;)
    used += (size_t)count;
  text[used] = '\0';
  close(ends[0]);
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}

static const char *refused;

static void collect_and_stop(void) {
  start_and_collect(refused);
  spgc_thread_detach();
  spgc_stop();
  start_and_collect(NULL);
  exit(0);
}

START_TEST(a_file_that_cannot_be_written_is_a_line_in_the_log) {
  static const struct {
    const char *path, *line;
  } rows[] = {
      {"/nowhere/t.json", "spgc: trace: cannot write /nowhere/t.json: No such file or directory\n"},
      {"/dev/full", "spgc: trace: cannot write /dev/full: No space left on device\n"},
      {"/", "spgc: trace: cannot write /: Is a directory\n"},
      {"", "spgc: trace: cannot write : No such file or directory\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[512];
    refused = rows[i].path;
    log_of(collect_and_stop, text, sizeof text);
    ck_assert_str_eq(text, rows[i].line);
  }
}
END_TEST

START_TEST(a_pipe_that_nobody_reads_is_not_waited_for) {
  char text[512], expected[512];
  make_folder();
  ck_assert_int_eq(mkfifo(file, 0600), 0);
  refused = file;
  log_of(collect_and_stop, text, sizeof text);
  snprintf(expected, sizeof expected, "spgc: trace: cannot write %s: No such device or address\n",
           file);
  ck_assert_str_eq(text, expected);
  remove_folder();
}
END_TEST

static _Noreturn void copy_pipe(int pipe, const char *copy) {
  char bytes[4096];
  struct pollfd ready = {.fd = pipe, .events = POLLIN};
  int to = open(copy, O_WRONLY | O_CREAT | O_EXCL, 0600);
  while (poll(&ready, 1, -1) > 0 && (ready.revents & POLLIN) != 0) {
    ssize_t count = read(pipe, bytes, sizeof bytes);
    if (count < 0 || write(to, bytes, (size_t)count) != count)
      _exit(1);
  }
  _exit(0);
}

START_TEST(a_pipe_that_is_read_gets_a_whole_trace) {
  char copy[sizeof file + 8];
  int status;
  make_folder();
  snprintf(copy, sizeof copy, "%s.copy", file);
  ck_assert_int_eq(mkfifo(file, 0600), 0);
  int reader = open(file, O_RDONLY | O_NONBLOCK);
  pid_t copier = fork();
  if (copier == 0)
    copy_pipe(reader, copy);
  world_open(with_trace("nursery=256k"));
  spgc_collect(SPGC_COLLECTION_FULL);
  world_close();
  ck_assert_int_eq(waitpid(copier, &status, 0), copier);
  ck_assert_int_eq(status, 0);
  struct trace trace = trace_read(copy);
  trace_free(&trace);
  close(reader);
  unlink(copy);
  remove_folder();
}
END_TEST

CHECK_MAIN("trace", collections_are_filled_by_their_parts_and_agree_with_the_statistics,
           the_cycle_is_seen_with_its_steps, exhausted_memory_is_seen,
           waits_and_blocking_calls_are_on_the_track_of_their_thread,
           the_file_is_whole_when_the_process_exits_with_the_heap_started,
           the_writer_has_descriptors_of_its_own,
           a_name_is_relative_to_the_folder_in_which_the_heap_was_started,
           a_program_that_is_killed_leaves_a_part_that_can_be_read,
           a_child_has_a_trace_of_its_own_if_its_name_has_the_process,
           a_child_leaves_a_file_without_number_to_its_parent,
           a_file_that_cannot_be_written_is_a_line_in_the_log,
           a_pipe_that_nobody_reads_is_not_waited_for, a_pipe_that_is_read_gets_a_whole_trace)
