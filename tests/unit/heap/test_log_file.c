#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "heap_world.h"
#include "log_lines.h"

static uint64_t do_work(void) {
  struct spgc_scope scope = spgc_scope_open();
  uint64_t length = world_amount(3000, 1000, 60);
  struct spgc_handle list = world_new_list(length);
  uint64_t moved = world_statistics().moved_objects;
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_check_list(list, length);
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_gt(statistics.moved_objects, moved);
  if (world_is_stressed())
    ck_assert_uint_ge(statistics.collections, length);
  spgc_scope_close(scope);
  return statistics.collections;
}

START_TEST(lines_are_appended) {
  log_folder_make();
  FILE *file = fopen(log_path("a"), "w");
  fputs("something else\n", file);
  fclose(file);
  uint64_t collections = 0;
  for (uint64_t run = 1; run <= 2; run++) {
    world_open(log_settings("gc", "a", ""));
    collections += do_work();
    world_close();
    log_check(log_path("a"), LOG_ANY_COLLECTION, collections);
    log_check(log_path("a"), LOG_SUMMARY "collections: ", run);
  }
  log_check(log_path("a"), "^something else$", 1);
  log_folder_remove();
}
END_TEST

START_TEST(a_file_that_cannot_be_opened_leaves_the_log_on_standard_error) {
  log_folder_make();
  int before = log_divert_errors("errors");
  world_open(log_settings("gc", "none/a", ""));
  uint64_t collections = do_work();
  world_close();
  log_restore_errors(before);
  log_check(log_path("errors"),
            "^spgc: cannot write the log to .*/none/a: No such file or directory: it goes to "
            "standard error$",
            1);
  log_check(log_path("errors"), LOG_ANY_COLLECTION, collections);
  log_check(log_path("errors"), LOG_SUMMARY "collections: ", 1);
  log_folder_remove();
}
END_TEST

START_TEST(a_pipe_that_nobody_reads_is_not_waited_for) {
  log_folder_make();
  ck_assert_int_eq(mkfifo(log_path("pipe"), 0600), 0);
  int before = log_divert_errors("errors");
  world_open_fixed(log_settings("gc", "pipe", ""));
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_close();
  log_restore_errors(before);
  log_check(log_path("errors"), "/pipe: No such device or address: it goes to standard error$", 1);
  log_check(log_path("errors"), LOG_ANY_COLLECTION, 1);
  log_folder_remove();
}
END_TEST

/* The limit's signal would end the process. Check writes files for its assertions. */
START_TEST(a_file_that_becomes_full_leaves_the_rest_on_standard_error) {
  struct stat status;
  int before = dup(STDERR_FILENO), ends[2];
  ck_assert_int_eq(pipe(ends), 0); /* the limit is not about pipes */
  log_folder_make();
  world_open_fixed(log_settings("gc", "a", ""));
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_int_eq(stat(log_path("a"), &status), 0);
  struct rlimit limit = {(rlim_t)status.st_size, RLIM_INFINITY};
  dup2(ends[1], STDERR_FILENO);
  setrlimit(RLIMIT_FSIZE, &limit);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_MINOR);
  limit.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_FSIZE, &limit);
  log_restore_errors(before);
  world_close();
  char text[4096];
  ssize_t size = read(ends[0], text, sizeof text - 1);
  ck_assert_int_gt(size, 0);
  text[size] = '\0';
  const char *message = strstr(text, "File too large: it goes to standard error\n");
  ck_assert_ptr_nonnull(message);
  ck_assert_ptr_null(strstr(message + 1, "File too large"));
  ck_assert_ptr_nonnull(strstr(text, "collection 2 "));
  ck_assert_ptr_nonnull(strstr(text, "collection 3 "));
  log_check(log_path("a"), LOG_ANY_COLLECTION, 1);
  log_check(log_path("a"), LOG_SUMMARY "collections: ", 1);
  log_folder_remove();
}
END_TEST

/* A full file, or a pipe that nobody reads. Check's assertions write files. */
START_TEST(standard_error_that_cannot_be_written_ends_nothing) {
  int before = dup(STDERR_FILENO), ends[2];
  ck_assert_int_eq(pipe(ends), 0);
  close(ends[0]);
  log_folder_make();
  log_divert_errors("errors");
  world_open_fixed("log=all");
  spgc_collect(SPGC_COLLECTION_MINOR);
  struct stat status;
  ck_assert_int_eq(fstat(STDERR_FILENO, &status), 0);
  struct rlimit limit = {(rlim_t)status.st_size, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
  spgc_collect(SPGC_COLLECTION_FULL);
  limit.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_FSIZE, &limit);
  dup2(ends[1], STDERR_FILENO);
  spgc_collect(SPGC_COLLECTION_FULL);
  log_restore_errors(before);
  ck_assert_uint_eq(world_statistics().collections, 3);
  world_close();
  log_check(log_path("errors"), LOG_ANY_COLLECTION, 1);
  log_folder_remove();
}
END_TEST

enum { ROUNDS = 20 };

/* Makes no assertions, because Check's descriptors are closed. */
static void close_and_use_descriptors(void) {
  const char *log = log_settings("all", "a", "stress=none");
  world_open(log);
  for (int round = 0; round < ROUNDS; round++) {
    close_range(STDERR_FILENO + 1, ~0U, 0);
    int own = open(log_path("own"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    spgc_collect(SPGC_COLLECTION_MINOR);
    bool is_untouched = lseek(own, 0, SEEK_END) == 0 && (fcntl(own, F_GETFL) & O_APPEND) == 0;
    bool keeps_none = fcntl(own + 1, F_GETFD) == -1;
    if (own != STDERR_FILENO + 1 || !is_untouched || !keeps_none)
      _exit(1);
  }
  _exit(0);
}

START_TEST(a_program_may_close_and_use_any_descriptor) {
  log_folder_make();
  pid_t child = fork();
  if (child == 0)
    close_and_use_descriptors();
  ck_assert_int_eq(status_of(child), 0);
  log_check(log_path("a"), LOG_ANY_COLLECTION, ROUNDS);
  log_folder_remove();
}
END_TEST

START_TEST(without_a_free_descriptor_lines_go_to_standard_error) {
  log_folder_make();
  int before = log_divert_errors("errors");
  world_open_fixed(log_settings("gc", "a", ""));
  int next = dup(0);
  close(next);
  struct rlimit limit, none;
  getrlimit(RLIMIT_NOFILE, &limit);
  none = limit;
  none.rlim_cur = (rlim_t)next;
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_close();
  log_restore_errors(before);
  log_check(log_path("errors"), "Too many open files", 1);
  log_check(log_path("errors"), LOG_ANY_COLLECTION, 1);
  log_check(log_path("a"), LOG_ANY_COLLECTION, 1);
  log_folder_remove();
}
END_TEST

START_TEST(another_working_directory_does_not_change_the_file) {
  log_folder_make();
  world_open(log_settings("gc", "a", ""));
  char here[256];
  ck_assert_ptr_nonnull(getcwd(here, sizeof here));
  ck_assert_int_eq(chdir("/"), 0);
  uint64_t collections = do_work();
  world_close();
  ck_assert_int_eq(chdir(here), 0);
  log_check(log_path("a"), LOG_ANY_COLLECTION, collections);
  log_folder_remove();
}
END_TEST

static void check_summary(const char *path, uint64_t collections) {
  char expression[64];
  snprintf(expression, sizeof expression, LOG_SUMMARY "collections: all %d,", (int)collections);
  log_check(path, expression, 1);
}

START_TEST(a_forked_child_has_a_file_of_its_own) {
  int ends[2];
  uint64_t before, in_child = 0;
  ck_assert_int_eq(pipe(ends), 0);
  log_folder_make();
  world_open(log_settings("all", "%p.log", ""));
  before = do_work();
  pid_t child = fork();
  if (child == 0) {
    in_child = do_work();
    spgc_thread_detach();
    spgc_stop();
    _exit(write(ends[1], &in_child, sizeof in_child) == sizeof in_child ? 0 : 1);
  }
  ck_assert_int_eq(status_of(child), 0);
  ck_assert_int_eq(read(ends[0], &in_child, sizeof in_child), sizeof in_child);
  ck_assert_uint_gt(in_child, before);
  world_close();
  log_check(log_path_of(getpid()), LOG_ANY_COLLECTION, before);
  check_summary(log_path_of(getpid()), before);
  log_check(log_path_of(child), LOG_ANY_COLLECTION, in_child - before);
  check_summary(log_path_of(child), in_child);
  log_folder_remove();
}
END_TEST

CHECK_MAIN("log_file", lines_are_appended,
           a_file_that_cannot_be_opened_leaves_the_log_on_standard_error,
           a_pipe_that_nobody_reads_is_not_waited_for,
           a_file_that_becomes_full_leaves_the_rest_on_standard_error,
           standard_error_that_cannot_be_written_ends_nothing,
           a_program_may_close_and_use_any_descriptor,
           without_a_free_descriptor_lines_go_to_standard_error,
           another_working_directory_does_not_change_the_file, a_forked_child_has_a_file_of_its_own)
