/* Every file of ir/run does what its first line says, at every level, while everything moves. */
#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

/* A process takes several runs, because forking with LLVM takes long. */
enum { MOST_FILES = 64, LEVELS = 4, GROUPS = 8 };

static unsigned stride = 1;

static int runs_of_file(void) {
  return (int)(LEVELS / stride);
}

static char *files[MOST_FILES];
static int count;

static int compare_names(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

static void list_files(void) {
  char path[512];
  snprintf(path, sizeof path, "%s/ir/run", getenv("SPGC_TEST_SOURCES"));
  DIR *directory = opendir(path);
  if (directory == NULL)
    err(EXIT_FAILURE, "%s", path);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (strstr(entry->d_name, ".ll") == NULL)
      continue;
    if (count == MOST_FILES || asprintf(&files[count++], "run/%s", entry->d_name) < 0)
      errx(EXIT_FAILURE, "%s holds too many files", path);
  }
  closedir(directory);
  qsort(files, (size_t)count, sizeof *files, compare_names);
}

/* A first line "; run: ARGUMENT = RESULT" is about managed_run. */
static void run(const char *file, const char *options, unsigned level, const char *processor) {
  struct spgc_error error;
  struct spgc_jit_object *object;
  char *text = compile_read(file);
  int64_t argument, expected;
  ck_assert_msg(sscanf(text, "; run: %" SCNd64 " = %" SCNd64, &argument, &expected) == 2, "%s",
                file);
  jit_world_start(options);
  ck_assert_ok(
      spgc_jit_add(jit_world_jit, compile_for_processor(text, level, processor), &object, &error),
      error);
  int64_t result = jit_world_run("managed_run", argument);
  ck_assert_msg(result == expected, "%s at -O%u with %s: %" PRId64, file, level, options, result);
  spgc_collect(SPGC_COLLECTION_MINOR);
  uint64_t moved = jit_world_finish().moved_objects;
  ck_assert_msg(moved != 0 || options != jit_world_hostile, "%s at -O%u: nothing moved", file,
                level);
  jit_world_stop();
  free(text);
}

static const char *file_of(int round) {
  return files[round / runs_of_file()];
}

static unsigned level_of(int round) {
  return (unsigned)(round / runs_of_file()) % stride + (unsigned)(round % runs_of_file()) * stride;
}

static int rounds(void) {
  return count * runs_of_file();
}

/* Vectors are stored in other pieces if registers are shorter. */
static const char *const processors[] = {NULL, "x86-64-v2"};

START_TEST(results_stay_when_everything_moves) {
  for (int round = _i; round < rounds(); round += GROUPS) {
    size_t used = level_of(round) == 0 ? 1 : sizeof processors / sizeof *processors;
    for (size_t i = 0; i < used; i++)
      run(file_of(round), jit_world_hostile, level_of(round), processors[i]);
  }
}
END_TEST

START_TEST(results_stay_in_a_small_nursery) {
  for (int round = _i; round < rounds(); round += GROUPS)
    run(file_of(round), "nursery=32k,verify=full,poison=on,limit=64m", level_of(round), NULL);
}
END_TEST

START_TEST(stress_counts_what_generated_code_allocates) {
  enum { LENGTH = 50, ALLOCATIONS = 2 * LENGTH - 1 };
  static const struct {
    const char *options;
    uint64_t collections;
  } stresses[] = {{"stress=every-1,move=always,poison=on,verify=full,limit=64m", ALLOCATIONS},
                  {"stress=every-7,move=always,poison=on,verify=full,limit=64m", ALLOCATIONS / 7},
                  {"stress=random:1,move=always,poison=on,verify=full,seed=1", ALLOCATIONS}};
  for (size_t i = 0; i < sizeof stresses / sizeof *stresses; i++) {
    jit_world_start(stresses[i].options);
    jit_world_load_file("list.ll", (unsigned)_i);
    ck_assert_int_eq(jit_world_run("managed_run", LENGTH), LENGTH * (LENGTH + 1) / 2);
    struct spgc_statistics statistics = jit_world_finish();
    ck_assert_uint_eq(statistics.collections, stresses[i].collections);
    ck_assert_uint_gt(statistics.moved_objects, 0);
    jit_world_stop();
  }
}
END_TEST

int main(void) {
  stride = compile_level_stride();
  list_files();
  Suite *suite = suite_create("codegen-run");
  TCase *moving = tcase_create("moving"), *small = tcase_create("small");
  tcase_set_timeout(moving, 60);
  tcase_set_timeout(small, 60);
  tcase_add_loop_test(moving, results_stay_when_everything_moves, 0, GROUPS);
  tcase_add_loop_test(moving, stress_counts_what_generated_code_allocates, 0, LEVELS);
  tcase_add_loop_test(small, results_stay_in_a_small_nursery, 0, GROUPS);
  suite_add_tcase(suite, moving);
  suite_add_tcase(suite, small);
  return suite_run(suite);
}
