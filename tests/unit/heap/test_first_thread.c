/* Others collect, write files and start heaps after the first thread's end. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "gc/naming/code_line.h"
#include "gc/policy/machine.h"
#include "heap_world.h"
#include "log_lines.h"
#include "spgc/snapshot.h"

static pthread_t first;

static void run_without_first_thread(void *(*work)(void *)) {
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    pthread_t second;
    first = pthread_self();
    ck_assert_int_eq(pthread_create(&second, NULL, work, NULL), 0);
    pthread_exit(NULL);
  }
  ck_assert_int_eq(status_of(child), 0);
}

static void wait_for_end_of_first(void) {
  ck_assert_int_eq(pthread_join(first, NULL), 0);
  ck_assert_int_lt(readlink("/proc/self/exe", (char[PATH_MAX]){""}, PATH_MAX), 0);
}

static void do_work(void) {
  struct spgc_scope scope = spgc_scope_open();
  uint64_t length = world_amount(3000, 1000, 60);
  struct spgc_handle list = world_new_list(length);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_check_list(list, length);
  spgc_scope_close(scope);
}

static bool file_has(const char *path, const char *text) {
  static char bytes[1 << 20];
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return memmem(bytes, size, text, strlen(text)) != NULL;
}

static const char *own_executable(void) {
  static char path[PATH_MAX];
  ck_assert_int_gt(readlink("/proc/thread-self/exe", path, sizeof path - 1), 0);
  return path;
}

static void *write_files(void *unused) {
  char settings[300];
  wait_for_end_of_first();
  snprintf(settings, sizeof settings, "profile=%s:1", log_path("profile"));
  world_open(settings);
  do_work();
  ck_assert_int_eq(spgc_snapshot_write(log_path("snapshot"), NULL), SPGC_OK);
  world_close();
  ck_assert(file_has(log_path("snapshot"), "\"strings\""));
  ck_assert(file_has(log_path("profile"), own_executable()));
  if (spgc_code_lines_exist())
    ck_assert(file_has(log_path("profile"), "heap_world.c"));
  _exit(0);
}

START_TEST(snapshots_and_profiles_are_written) {
  log_folder_make();
  run_without_first_thread(write_files);
  log_folder_remove();
}
END_TEST

/* Names such as /dev/stdout link to the first thread's files. */
static void *write_to_open_files(void *unused) {
  char settings[300], open_file[40];
  wait_for_end_of_first();
  int log = open(log_path("log"), O_RDWR | O_CREAT | O_APPEND, 0600);
  int output = open(log_path("output"), O_RDWR | O_CREAT, 0600);
  ck_assert_int_eq(dup2(output, STDOUT_FILENO), STDOUT_FILENO);
  snprintf(settings, sizeof settings, "log=gc:/dev/fd/%d,profile=/dev/stdout:1", log);
  world_open(settings);
  do_work();
  snprintf(open_file, sizeof open_file, "/proc/self/fd/%d",
           open(log_path("snapshot"), O_RDWR | O_CREAT, 0600));
  ck_assert_int_eq(spgc_snapshot_write(open_file, NULL), SPGC_OK);
  uint64_t collections = world_statistics().collections;
  world_close();
  log_check(log_path("log"), LOG_ANY_COLLECTION, collections);
  ck_assert(file_has(log_path("output"), own_executable()));
  ck_assert(file_has(log_path("snapshot"), "\"strings\""));
  _exit(0);
}

START_TEST(open_files_are_written) {
  log_folder_make();
  run_without_first_thread(write_to_open_files);
  log_folder_remove();
}
END_TEST

static void *read_limits(void *unused) {
  enum { FILLED = 64 << 20 };
  const rlim_t most = (rlim_t)1 << 46; /* not in the way of sanitizers */
  wait_for_end_of_first();
  const struct rlimit limit = {most, RLIM_INFINITY};
  ck_assert_int_eq(setrlimit(RLIMIT_DATA, &limit), 0);
  ck_assert(spgc_accessible_memory_counts());
  size_t before = spgc_half_of_data();
  ck_assert_uint_lt(before, most / 2);
  void *filled = malloc(FILLED);
  ck_assert_ptr_nonnull(filled);
  memset(filled, 1, FILLED);
  __asm__ volatile("" ::"r"(filled) : "memory"); /* GCC 16 would leave out the allocation */
  ck_assert_uint_le(spgc_half_of_data(), before - FILLED / 2);
  free(filled);
  _exit(0);
}

START_TEST(what_the_process_uses_is_counted) {
  run_without_first_thread(read_limits);
}
END_TEST

CHECK_MAIN("first-thread", snapshots_and_profiles_are_written, open_files_are_written,
           what_the_process_uses_is_counted)
