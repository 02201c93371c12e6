#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "log_lines.h"
#include "made_code.h"
#include "snapshot_file.h"
#include "snapshot_reader.h"
#include "spgc/events.h"
#include "spgc/fiber.h"
#include "spgc/snapshot.h"

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* The system refuses to clone. */
static bool refuses;

long __wrap_syscall(long number, ...) {
  long words[6];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < 6; i++)
    words[i] = va_arg(arguments, long);
  va_end(arguments);
  if (refuses && number == SYS_clone) {
    errno = EAGAIN;
    return -1;
  }
  return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

/* At the end, the disk is full. */
static bool closes_in_vain;

int __real_close(int file);
int __wrap_close(int file);

int __wrap_close(int file) {
  int result = __real_close(file);
  if (!closes_in_vain)
    return result;
  errno = ENOSPC;
  return -1;
}

static void check_works(void) {
  struct spgc_error error;
  snapshot_path_choose();
  enum spgc_result result = spgc_snapshot_write(snapshot_path, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  snapshot_file_check();
}

static void check_refused(const char *file, enum spgc_result expected, const char *message) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_snapshot_write(file, &error), expected);
  ck_assert_int_eq(error.code, expected);
  ck_assert_msg(strstr(error.message, message) != NULL, "%s", error.message);
}

START_TEST(files_that_cannot_be_written_are_told) {
  world_open("");
  world_new_list(1000);
  check_refused("no-such-folder/file", SPGC_ERROR_SYSTEM, "No such file or directory");
  check_refused("/", SPGC_ERROR_SYSTEM, "Is a directory");
  check_refused("/dev/full", SPGC_ERROR_SYSTEM, "No space left on device");
  check_refused("", SPGC_ERROR_SYSTEM, "No such file");
  check_refused(NULL, SPGC_ERROR_INVALID_ARGUMENT, "no path is given");
  check_works();
  world_close();
}
END_TEST

/* The limit stops the child, or the parent, which adds the names. */
START_TEST(limits_on_files_leave_the_older_one) {
  struct rlimit limit;
  struct stat before, after;
  world_open("");
  world_new_list((uint64_t)world_amount(10000, 1000, 100));
  snapshot_path_choose();
  ck_assert_int_eq(spgc_snapshot_write(snapshot_path, NULL), SPGC_OK);
  ck_assert_int_eq(stat(snapshot_path, &before), 0);
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
  for (off_t missing = 1; missing < before.st_size; missing = missing * 3 + 1) {
    struct rlimit small = {(rlim_t)(before.st_size - missing), limit.rlim_max};
    struct spgc_error error;
    setrlimit(RLIMIT_FSIZE, &small); /* it holds for the files of Check, too */
    enum spgc_result result = spgc_snapshot_write(snapshot_path, &error);
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_int_eq(result, SPGC_ERROR_SYSTEM);
    ck_assert_msg(strstr(error.message, "File too large") != NULL, "%s", error.message);
    ck_assert_int_eq(stat(snapshot_path, &after), 0);
    ck_assert_uint_eq(before.st_ino, after.st_ino);
    ck_assert_int_eq(before.st_size, after.st_size);
  }
  snapshot_file_check();
  world_close();
}
END_TEST

/* A rest of the new file would keep the folder. */
START_TEST(a_file_that_cannot_be_closed_leaves_the_older_one) {
  char folder[] = "faults-XXXXXX";
  struct stat before, after;
  world_open("");
  world_new_list(100);
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(snapshot_path, sizeof snapshot_path, "%s/file", folder);
  for (int i = 0; i < 2; i++) {
    closes_in_vain = true;
    check_refused(snapshot_path, SPGC_ERROR_SYSTEM, "No space left on device");
    closes_in_vain = false;
    if (i == 0) {
      ck_assert_int_ne(access(snapshot_path, F_OK), 0);
      ck_assert_int_eq(spgc_snapshot_write(snapshot_path, NULL), SPGC_OK);
      ck_assert_int_eq(stat(snapshot_path, &before), 0);
    }
  }
  ck_assert_int_eq(stat(snapshot_path, &after), 0);
  ck_assert_uint_eq(before.st_ino, after.st_ino);
  snapshot_file_check();
  ck_assert_int_eq(rmdir(folder), 0);
  world_close();
}
END_TEST

START_TEST(a_refused_child_is_told) {
  world_open("");
  snapshot_path_choose();
  refuses = true;
  check_refused(snapshot_path, SPGC_ERROR_SYSTEM, "cannot fork a process that writes test-");
  check_refused(snapshot_path, SPGC_ERROR_SYSTEM,
                ".heapsnapshot: Resource temporarily unavailable");
  refuses = false;
  ck_assert_int_ne(access(snapshot_path, F_OK), 0);
  check_works();
  world_close();
}
END_TEST

/* An exit status. The limit is not for root. */
static int meet_limit_on_processes(void) {
  struct spgc_error error;
  struct rlimit limit;
  world_open("");
  struct spgc_handle list = world_new_list(100);
  if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
    return 2;
  if (getrlimit(RLIMIT_NPROC, &limit) != 0 ||
      setrlimit(RLIMIT_NPROC, &(struct rlimit){0, limit.rlim_max}) != 0)
    return 3;
  if (spgc_snapshot_write("/dev/null", &error) != SPGC_ERROR_SYSTEM ||
      strstr(error.message, "/dev/null: Resource temporarily unavailable") == NULL)
    return 4;
  setrlimit(RLIMIT_NPROC, &limit);
  world_check_list(list, 100);
  spgc_collect(SPGC_COLLECTION_FULL);
  return spgc_snapshot_write("/dev/null", &error) == SPGC_OK ? 0 : 5;
}

START_TEST(a_limit_on_processes_is_told) {
  int status;
  pid_t child = fork();
  if (child == 0)
    _exit(meet_limit_on_processes());
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(without_a_heap_there_is_none) {
  check_refused("x", SPGC_ERROR_STATE, "the heap is not started");
}
END_TEST

static struct spgc_error inside;
static enum spgc_result inside_result;

static void ask_in_pause(void *context, const struct spgc_collection_end_event *event) {
  inside_result = spgc_snapshot_write("inside.heapsnapshot", &inside);
}

static struct spgc_listener in_pause = {.size = sizeof in_pause, .collection_end = ask_in_pause};

START_TEST(in_a_pause_there_is_none) {
  ck_assert_int_eq(spgc_listener_add(&in_pause, NULL), SPGC_OK);
  world_open("");
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_int_eq(inside_result, SPGC_ERROR_STATE);
  ck_assert_msg(strstr(inside.message, "the world is stopped") != NULL, "%s", inside.message);
  check_works();
  world_close();
}
END_TEST

static bool ask_in_walk(void *context, const struct spgc_frame *frame) {
  inside_result = spgc_snapshot_write("inside.heapsnapshot", &inside);
  return true;
}

static uint64_t walk(struct spgc_ref object) {
  const struct spgc_stack_visitor visitor = {.frame = ask_in_walk};
  spgc_walk_stack(spgc_stack_base(), &visitor, NULL);
  return 0;
}

START_TEST(in_a_stack_walk_there_is_none) {
  struct made_code code;
  world_open("");
  made_code_reserve(&code);
  made_code_make(&code, 0, walk);
  ck_assert_uint_eq(code.first(spgc_allocate(&world_leaf)), 0);
  ck_assert_int_eq(inside_result, SPGC_ERROR_STATE);
  ck_assert_msg(strstr(inside.message, "a visitor of a stack walk") != NULL, "%s", inside.message);
  made_code_forget(&code);
  made_code_release(&code);
  check_works();
  world_close();
}
END_TEST

static void *check_works_blocking(void *unused) {
  check_works();
  return unused;
}

START_TEST(threads_in_blocking_regions_may_ask) {
  world_open("");
  world_new_list(100);
  spgc_call_blocking(check_works_blocking, NULL);
  world_close();
}
END_TEST

static void *write_without_attaching(void *unused) {
  check_works();
  return unused;
}

START_TEST(threads_that_are_not_attached_may_ask) {
  pthread_t thread;
  world_open("");
  world_new_list(100);
  pthread_create(&thread, NULL, write_without_attaching, NULL);
  while (pthread_tryjoin_np(thread, NULL) != 0)
    spgc_collect(SPGC_COLLECTION_MINOR); /* a safepoint, where this thread can be stopped */
  world_close();
}
END_TEST

static void *write_to_pipe(void *result) {
  *(enum spgc_result *)result = spgc_snapshot_write(snapshot_path, NULL);
  return NULL;
}

/* The file must be whole. */
static void *read_pipe(void *unused) {
  char last[3] = {0}, byte;
  int reader = open(snapshot_path, O_RDONLY);
  check_refused("second.heapsnapshot", SPGC_ERROR_STATE, "another thread is writing one");
  while (read(reader, &byte, 1) == 1) {
    memmove(last, last + 1, 2);
    last[2] = byte;
  }
  close(reader);
  ck_assert_msg(memcmp(last, "]}\n", 3) == 0, "the file is torn");
  return unused;
}

/* The child fills the pipe and waits for its reader. */
START_TEST(only_one_is_written_at_a_time) {
  enum spgc_result result = SPGC_ERROR_STATE;
  pthread_t thread;
  world_open("");
  snapshot_outgrow_pipe();
  snapshot_path_choose();
  ck_assert_int_eq(mkfifo(snapshot_path, 0600), 0);
  pthread_create(&thread, NULL, write_to_pipe, &result);
  spgc_call_blocking(read_pipe, NULL);
  pthread_join(thread, NULL);
  ck_assert_int_eq(result, SPGC_OK);
  unlink(snapshot_path);
  check_works();
  world_close();
}
END_TEST

static volatile sig_atomic_t children_ended;

static void count_child(int signal) {
  children_ended++;
}

START_TEST(the_program_does_not_notice_the_child) {
  signal(SIGCHLD, count_child);
  world_open("");
  world_new_list(100);
  check_works();
  ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
  ck_assert_int_eq(errno, ECHILD);
  ck_assert_int_eq(children_ended, 0);
  signal(SIGCHLD, SIG_IGN);
  check_works();
  world_close();
}
END_TEST

START_TEST(a_forked_child_writes_its_own) {
  int status;
  world_open("");
  world_new_list(100);
  pid_t child = fork();
  if (child == 0) {
    check_works();
    _exit(0);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  check_works();
  world_close();
}
END_TEST

static void set_option(const char *more) {
  char options[128];
  snapshot_path_choose();
  snprintf(options, sizeof options, "snapshot=%s%s", snapshot_path, more);
  world_require(options);
}

START_TEST(the_option_writes_when_the_heap_stops) {
  set_option("");
  world_open("");
  spgc_global_handle_make(spgc_handle_get(world_new_list(10)));
  ck_assert_int_ne(access(snapshot_path, F_OK), 0);
  world_close();
  struct read_snapshot snapshot = snapshot_read(snapshot_path);
  ck_assert_uint_eq(snapshot_count(&snapshot, world_pair.name), 10);
  snapshot_free(&snapshot);
  unlink(snapshot_path);
}
END_TEST

static unsigned hooks;

static void check_in_hook(void *context, size_t bytes) {
  ck_assert_int_eq(access(snapshot_path, F_OK), 0);
  hooks++;
}

/* The first time. */
START_TEST(the_option_writes_when_memory_is_exhausted) {
  set_option(",limit=2m");
  world_open("");
  spgc_set_out_of_memory_hook(check_in_hook, NULL);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  uint64_t count = world_fill(list);
  ck_assert_uint_gt(hooks, 0);
  struct read_snapshot snapshot = snapshot_read(snapshot_path);
  ck_assert_uint_gt(count, 0);
  ck_assert_uint_eq(
      snapshot_count(&snapshot, world_is_stressed() ? world_references.name : world_pair.name),
      count);
  snapshot_free(&snapshot);
  spgc_handle_set(list, spgc_ref_null());
  spgc_set_out_of_memory_hook(NULL, NULL);
  unlink(snapshot_path);
  world_close();
  ck_assert_int_ne(access(snapshot_path, F_OK), 0);
}
END_TEST

static void count_hook(void *context, size_t bytes) {
  hooks++;
}

START_TEST(a_refused_child_of_the_option_is_a_line_in_the_log) {
  log_folder_make();
  set_option(",limit=2m");
  int before = log_divert_errors("errors");
  world_open("");
  spgc_set_out_of_memory_hook(count_hook, NULL);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  refuses = true;
  ck_assert_uint_gt(world_fill(list), 0);
  refuses = false;
  log_restore_errors(before);
  ck_assert_uint_gt(hooks, 0);
  log_check(log_path("errors"),
            "^spgc: spgc_snapshot_write: cannot fork a process that writes .*: Resource", 1);
  ck_assert_int_ne(access(snapshot_path, F_OK), 0);
  spgc_handle_set(list, spgc_ref_null());
  spgc_set_out_of_memory_hook(NULL, NULL);
  check_works();
  world_close();
  log_folder_remove();
}
END_TEST

START_TEST(the_option_writes_when_the_process_exits) {
  int status;
  snapshot_path_choose();
  pid_t child = fork();
  if (child == 0) {
    set_option("");
    world_open("");
    spgc_global_handle_make(spgc_handle_get(world_new_list(10)));
    exit(0);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  snapshot_path_of(child);
  snapshot_file_check();
}
END_TEST

/* Pages that the child touched first or wrote, for a heap of `pairs` more. */
static long pages_for(struct spgc_handle list, uint64_t pairs) {
  struct rusage before, after;
  for (uint64_t i = 0; i < pairs; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    spgc_store(spgc_slot_at((void *)(pair.word + 16)), spgc_handle_get(list));
    spgc_handle_set(list, pair);
  }
  getrusage(RUSAGE_CHILDREN, &before);
  ck_assert_int_eq(spgc_snapshot_write("/dev/null", NULL), SPGC_OK);
  getrusage(RUSAGE_CHILDREN, &after);
  return after.ru_minflt - before.ru_minflt;
}

/* Bits for words and numbers for groups take 2 percent. Each page counts twice: it is read, then
 * written. */
START_TEST(the_child_needs_little_memory) {
  enum { PAIRS = 2 << 20, PAIR_BYTES = 32, PAGE = 4096 };
  world_open_fixed("verify=none,walk=fast,poison=off");
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  long small = pages_for(list, PAIRS / 8), large = pages_for(list, PAIRS);
  long grown = (long)PAIRS * PAIR_BYTES / PAGE;
  ck_assert_msg(large - small < grown * 5 / 100, "%ld pages for %ld more of the heap",
                large - small, grown);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "snapshot-faults", files_that_cannot_be_written_are_told,
                  limits_on_files_leave_the_older_one,
                  a_file_that_cannot_be_closed_leaves_the_older_one, a_refused_child_is_told,
                  a_limit_on_processes_is_told, a_refused_child_of_the_option_is_a_line_in_the_log,
                  without_a_heap_there_is_none, in_a_pause_there_is_none,
                  in_a_stack_walk_there_is_none, threads_in_blocking_regions_may_ask,
                  threads_that_are_not_attached_may_ask, only_one_is_written_at_a_time,
                  the_program_does_not_notice_the_child, a_forked_child_writes_its_own,
                  the_option_writes_when_the_heap_stops, the_option_writes_when_memory_is_exhausted,
                  the_option_writes_when_the_process_exits, the_child_needs_little_memory)
