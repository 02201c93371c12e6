/* With a sample of every object, figures are exact. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "heap_world.h"
#include "profile_reader.h"
#include "spgc/fiber.h"
#include "spgc/module.h"
#include "spgc/profile.h"
#include "spgc/snapshot.h"

/* So that profiles without debug information have names, each function has a frame. Clang does not
 * know noipa. */
#ifdef __clang__
#define NAMED __attribute__((visibility("default"), noinline, optnone))
#else
#define NAMED __attribute__((visibility("default"), noipa))
#endif

NAMED struct spgc_handle make_leaf(uint64_t number);
NAMED void make_garbage(unsigned count);
NAMED void make_large(unsigned count);
NAMED void make_nested(unsigned depth);
NAMED void *allocate_in_thread(void *count);
NAMED struct spgc_fiber_end allocate_in_fiber(void *own);

static char folder[] = "/tmp/spgc-profile-XXXXXX";
static char path[sizeof folder + 20], at_end[sizeof folder + 20];

static const char *option(const char *bytes) {
  static char text[sizeof at_end + 40];
  if (path[0] == '\0')
    ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/now.pb", folder);
  snprintf(at_end, sizeof at_end, "%s/end.pb", folder);
  snprintf(text, sizeof text, "profile=%s:%s", at_end, bytes);
  return text;
}

static void remove_files(void) {
  unlink(path);
  unlink(at_end);
  ck_assert_msg(rmdir(folder) == 0, "something stayed in %s: %s", folder, strerror(errno));
}

static struct profile *profile_now(void) {
  struct spgc_error error;
  ck_assert_msg(spgc_profile_write(path, &error) == SPGC_OK, "%s", error.message);
  return profile_read(path);
}

struct spgc_handle make_leaf(uint64_t number) {
  struct spgc_handle leaf = world_new_leaf(number);
  __asm__ volatile("" ::: "memory"); /* no tail call */
  return leaf;
}

void make_garbage(unsigned count) {
  for (unsigned i = 0; i < count; i++)
    spgc_allocate(&world_pair);
}

enum { LARGE_LENGTH = 100000, LARGE_BYTES = LARGE_LENGTH + 16 };

void make_large(unsigned count) {
  for (unsigned i = 0; i < count; i++)
    spgc_allocate_array(&world_bytes, LARGE_LENGTH);
}

void make_nested(unsigned depth) {
  if (depth > 0)
    make_nested(depth - 1);
  else
    spgc_allocate(&world_values);
  __asm__ volatile("" ::: "memory");
}

static uint64_t live(const struct spgc_type *type) {
  return spgc_types_live(type, type + 1);
}

START_TEST(every_object_is_counted) {
  enum { LEAVES = 50, GARBAGE = 3000, LARGE = 4, SMALL_ARRAYS = 20 };
  world_open(option("1"));
  unsigned garbage = (unsigned)world_amount(GARBAGE, 300, 100);
  uint64_t collections = world_statistics().collections;
  for (unsigned i = 0; i < LEAVES; i++)
    make_leaf(i);
  make_garbage(garbage);
  make_large(LARGE);
  for (unsigned i = 0; i < SMALL_ARRAYS; i++)
    spgc_handle_make(spgc_allocate_array(&world_bytes, 48));
  ck_assert_uint_eq(live(&world_leaf), LEAVES); /* collects everything */
  ck_assert_uint_gt(world_statistics().collections, collections);
  ck_assert_uint_gt(world_statistics().moved_objects, 0);
  struct profile *profile = profile_now();
  ck_assert_uint_eq(profile->period, 1);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "leaf", NULL), LEAVES);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_SPACE, "leaf", NULL), LEAVES * 16);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "pair", NULL), garbage);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_SPACE, "pair", NULL), garbage * UINT64_C(32));
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "bytes", "make_large"), LARGE);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_SPACE, "bytes", "make_large"),
                    (uint64_t)LARGE * LARGE_BYTES);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_SPACE, "bytes", NULL),
                    (uint64_t)LARGE * LARGE_BYTES + SMALL_ARRAYS * 64);
  ck_assert_uint_eq(profile_sum(profile, INUSE_OBJECTS, "leaf", NULL), LEAVES);
  ck_assert_uint_eq(profile_sum(profile, INUSE_SPACE, "leaf", NULL), LEAVES * 16);
  ck_assert_uint_eq(profile_sum(profile, INUSE_OBJECTS, "pair", NULL), live(&world_pair));
  ck_assert_uint_eq(profile_sum(profile, INUSE_OBJECTS, "bytes", NULL), live(&world_bytes));
  ck_assert_uint_eq(profile_sum(profile, ALLOC_SPACE, NULL, NULL),
                    world_statistics().allocated_bytes);
  world_close();
  remove_files();
}
END_TEST

START_TEST(stacks_begin_with_the_function_that_allocates) {
  enum { DEPTH = 5 };
  world_open(option("1"));
  make_leaf(1);
  make_nested(DEPTH);
  make_nested(1000);
  struct profile *profile = profile_now();
  size_t nested = 0, deep = 0;
  for (size_t i = 0; i < profile->count; i++) {
    const struct profile_sample *sample = &profile->samples[i];
    ck_assert_uint_ge(sample->depth, 1);
    if (strcmp(sample->type, "leaf") == 0)
      ck_assert_str_eq(sample->functions[1], "make_leaf"); /* below world_new_leaf */
    if (strcmp(sample->type, "values") != 0)
      continue;
    ck_assert_uint_ge(sample->depth, DEPTH + 1);
    for (size_t call = 0; call <= DEPTH; call++)
      ck_assert_str_eq(sample->functions[call], "make_nested");
    nested += sample->depth < 20;
    deep += sample->depth > 64;
  }
  ck_assert_uint_eq(nested, 1);
  ck_assert_uint_eq(deep, 1);
  world_close();
  remove_files();
}
END_TEST

/* The standard deviation is the mean over the root of the number of samples. The seed makes runs
 * repeat. */
START_TEST(estimates_are_near_the_truth) {
  enum { MEAN = 4096, PAIRS = 100000, LARGE = 20 };
  char options[200];
  snprintf(options, sizeof options, "%s,seed=7,threads=1,concurrent=off,nursery=256k",
           option("4096"));
  world_open_fixed(options);
  make_garbage(PAIRS);
  make_large(LARGE);
  struct spgc_handle list = world_new_list(PAIRS / 4);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct profile *profile = profile_now();
  double truth = PAIRS * 32.0, error = 4 * truth / sqrt(truth / MEAN);
  double space = (double)profile_sum(profile, ALLOC_SPACE, "pair", "make_garbage");
  double objects = (double)profile_sum(profile, ALLOC_OBJECTS, "pair", "make_garbage");
  ck_assert_msg(fabs(space - truth) < error, "%g bytes, not %g", space, truth);
  ck_assert_msg(fabs(objects - PAIRS) < error / 32, "%g objects, not %d", objects, PAIRS);
  ck_assert_msg(fabs(space / objects - 32) < 0.01, "%g bytes each", space / objects);
  double kept = (double)profile_sum(profile, INUSE_SPACE, "pair", NULL);
  truth = PAIRS / 4 * 32.0;
  error = 4 * truth / sqrt(truth / MEAN);
  ck_assert_msg(fabs(kept - truth) < error, "%g bytes live, not %g", kept, truth);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "bytes", NULL), LARGE); /* always sampled */
  world_check_list(list, PAIRS / 4);
  world_close();
  remove_files();
}
END_TEST

static uint64_t samples_with_seed(const char *seed) {
  char options[200];
  snprintf(options, sizeof options, "%s,seed=%s,threads=1,concurrent=off,nursery=256k",
           option("1k"), seed);
  world_open_fixed(options);
  make_garbage(30000);
  uint64_t space = profile_sum(profile_now(), ALLOC_SPACE, NULL, NULL);
  world_close();
  return space;
}

START_TEST(a_seed_repeats_the_samples) {
  uint64_t first = samples_with_seed("11");
  ck_assert_uint_eq(samples_with_seed("11"), first);
  ck_assert_uint_ne(samples_with_seed("12"), first);
  remove_files();
}
END_TEST

START_TEST(survived_collections_are_counted) {
  enum { DEAD_YOUNG = 10 };
  world_open_fixed(option("1"));
  struct spgc_scope scope = spgc_scope_open();
  for (unsigned i = 0; i < DEAD_YOUNG; i++)
    spgc_allocate(&world_pair);
  spgc_allocate(&world_holder);
  make_leaf(1);
  for (int i = 0; i < 3; i++)
    spgc_collect(SPGC_COLLECTION_MINOR);
  struct profile *profile = profile_now();
  ck_assert_uint_eq(profile_survived(profile, ALLOC_OBJECTS, "pair", 0), DEAD_YOUNG);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "pair", NULL), DEAD_YOUNG);
  ck_assert_uint_eq(profile_survived(profile, INUSE_OBJECTS, "leaf", 3), 1);
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  profile = profile_now();
  ck_assert_uint_eq(profile_survived(profile, ALLOC_OBJECTS, "leaf", 3), 1);
  ck_assert_uint_eq(profile_sum(profile, INUSE_OBJECTS, "leaf", NULL), 0);
  struct spgc_handle old = make_leaf(2);
  for (int i = 0; i < 21; i++)
    spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(world_get_word(old, 1), 2);
  profile = profile_now();
  ck_assert_uint_eq(profile_survived(profile, INUSE_OBJECTS, "leaf", 16), 1); /* 16 to 31 */
  world_close();
  remove_files();
}
END_TEST

void *allocate_in_thread(void *count) {
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return "not attached";
  make_garbage(*(unsigned *)count);
  make_leaf(1);
  spgc_thread_detach();
  return NULL;
}

static void *join_all(void *threads) {
  for (int i = 0; i < 4; i++)
    if (pthread_join(((pthread_t *)threads)[i], NULL) != 0)
      return "not joined";
  return NULL;
}

START_TEST(threads_are_counted_together) {
  world_open(option("1"));
  unsigned count = (unsigned)world_amount(5000, 500, 50);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, allocate_in_thread, &count), 0);
  struct profile *while_running = profile_now();
  ck_assert_uint_le(profile_sum(while_running, ALLOC_OBJECTS, "pair", NULL), 4 * (uint64_t)count);
  ck_assert_ptr_null(spgc_call_blocking(join_all, threads));
  struct profile *profile = profile_now();
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "pair", "allocate_in_thread"),
                    4 * (uint64_t)count);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "leaf", "make_leaf"), 4);
  world_close();
  remove_files();
}
END_TEST

struct spgc_fiber_end allocate_in_fiber(void *own) {
  make_nested(3);
  spgc_fiber_switch(own, NULL);
  make_nested(3);
  return (struct spgc_fiber_end){own, NULL};
}

START_TEST(fibers_have_stacks_of_their_own) {
  enum { FIBERS = 5 };
  world_open(option("1"));
  struct spgc_fiber *own = spgc_fiber_current(), *fibers[FIBERS];
  for (int i = 0; i < FIBERS; i++)
    ck_assert_int_eq(
        spgc_fiber_create(allocate_in_fiber, NULL, SPGC_FIBER_STACK_LEAST, &fibers[i], NULL),
        SPGC_OK);
  for (int i = 0; i < 2 * FIBERS; i++)
    spgc_fiber_switch(fibers[i % FIBERS], own);
  struct profile *profile = profile_now();
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "values", "allocate_in_fiber"), 2 * FIBERS);
  for (int i = 0; i < FIBERS; i++)
    spgc_fiber_release(fibers[i]);
  world_close();
  remove_files();
}
END_TEST

/* The smallest fiber's stack suffices to collect and write files. */
static struct spgc_fiber_end write_in_fiber(void *own) {
  struct spgc_error error;
  char snapshot[sizeof path + 20];
  make_nested(3);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_msg(spgc_profile_write(path, &error) == SPGC_OK, "%s", error.message);
  snprintf(snapshot, sizeof snapshot, "%s.heapsnapshot", path);
  ck_assert_msg(spgc_snapshot_write(snapshot, &error) == SPGC_OK, "%s", error.message);
  ck_assert_int_eq(unlink(snapshot), 0);
  return (struct spgc_fiber_end){own, NULL};
}

START_TEST(the_smallest_fiber_writes_one) {
  struct spgc_fiber *own, *fiber;
  world_open(option("1"));
  own = spgc_fiber_current();
  ck_assert_int_eq(spgc_fiber_create(write_in_fiber, NULL, SPGC_FIBER_STACK_LEAST, &fiber, NULL),
                   SPGC_OK);
  spgc_fiber_switch(fiber, own);
  spgc_fiber_release(fiber);
  ck_assert_uint_eq(profile_sum(profile_read(path), ALLOC_OBJECTS, "values", "make_nested"), 1);
  world_close();
  remove_files();
}
END_TEST

/* Its stack does not depend on the program's. */
START_TEST(threads_with_small_stacks_write_one) {
  enum { STACK_BYTES = 64 << 10 };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  ck_assert_int_eq(pthread_setattr_default_np(&attributes), 0);
  pthread_attr_destroy(&attributes);
  world_open(option("1"));
  make_nested(3);
  struct spgc_error error;
  ck_assert_msg(spgc_profile_write(path, &error) == SPGC_OK, "%s", error.message);
  ck_assert_uint_eq(profile_sum(profile_read(path), ALLOC_OBJECTS, "values", "make_nested"), 1);
  world_close();
  remove_files();
}
END_TEST

START_TEST(the_option_writes_a_file_at_the_end) {
  world_open(option("1"));
  make_leaf(1);
  world_close();
  ck_assert_uint_eq(profile_sum(profile_read(at_end), ALLOC_OBJECTS, "leaf", NULL), 1);
  ck_assert_int_eq(spgc_profile_write(path, NULL), SPGC_ERROR_STATE); /* the heap is stopped */
  remove_files();
}
END_TEST

START_TEST(a_process_that_exits_writes_its_file) {
  option("1");
  pid_t child = fork();
  if (child == 0) {
    world_open(option("1"));
    make_leaf(1);
    exit(7);
  }
  ck_assert_int_eq(status_of(child), 7 << 8);
  ck_assert_uint_eq(profile_sum(profile_read(at_end), INUSE_OBJECTS, "leaf", NULL), 1);
  remove_files();
}
END_TEST

/* The child continues its parent's profile, and writes it only if the name has its number. */
static void fork_and_stop(void) {
  pid_t child = fork();
  if (child != 0) {
    ck_assert_int_eq(status_of(child), 0);
    return;
  }
  make_leaf(2);
  spgc_thread_detach();
  spgc_stop();
  _exit(0);
}

START_TEST(a_forked_child_does_not_write_over_the_file) {
  world_open(option("1"));
  make_leaf(1);
  fork_and_stop();
  ck_assert_int_ne(access(at_end, F_OK), 0);
  world_close();
  ck_assert_uint_eq(profile_sum(profile_read(at_end), ALLOC_OBJECTS, "leaf", NULL), 1);
  remove_files();
}
END_TEST

START_TEST(a_forked_child_writes_a_file_with_its_number) {
  char options[200], name[200];
  option("1");
  snprintf(options, sizeof options, "profile=%s/%%p.pb:1", folder);
  world_open(options);
  make_leaf(1);
  pid_t child = fork();
  if (child == 0) {
    make_leaf(2);
    spgc_thread_detach();
    spgc_stop();
    _exit(0);
  }
  ck_assert_int_eq(status_of(child), 0);
  snprintf(name, sizeof name, "%s/%d.pb", folder, (int)child);
  ck_assert_uint_eq(profile_sum(profile_read(name), ALLOC_OBJECTS, "leaf", NULL), 2);
  unlink(name);
  world_close();
  snprintf(name, sizeof name, "%s/%d.pb", folder, (int)getpid());
  ck_assert_uint_eq(profile_sum(profile_read(name), ALLOC_OBJECTS, "leaf", NULL), 1);
  unlink(name);
  remove_files();
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_told) {
  struct spgc_error error;
  world_open(option("1"));
  make_leaf(1);
  ck_assert_int_eq(spgc_profile_write("/no/such/folder/profile", &error), SPGC_ERROR_SYSTEM);
  ck_assert_msg(strstr(error.message, "/no/such/folder/profile: No such file") != NULL, "%s",
                error.message);
  ck_assert_int_eq(spgc_profile_write("/dev/full", &error), SPGC_ERROR_SYSTEM);
  ck_assert_msg(strstr(error.message, "No space left") != NULL, "%s", error.message);
  const struct rlimit small = {100, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
  int limited = setrlimit(RLIMIT_FSIZE, &small); /* Check writes files, too */
  enum spgc_result result = spgc_profile_write(path, &error);
  ck_assert_int_eq(limited + setrlimit(RLIMIT_FSIZE, &none), 0);
  ck_assert_int_eq(result, SPGC_ERROR_SYSTEM);
  ck_assert_int_ne(access(path, F_OK), 0);
  ck_assert_uint_eq(profile_sum(profile_now(), ALLOC_OBJECTS, "leaf", NULL), 1);
  world_close();
  remove_files();
}
END_TEST

static mode_t mode_of(const char *name) {
  struct stat status;
  ck_assert_int_eq(lstat(name, &status), 0);
  return status.st_mode;
}

/* A link's target, missing or without a name, is replaced. */
START_TEST(links_and_modes_stay) {
  char link[sizeof path + 20], removed[sizeof path + 20], open_file[40];
  struct stat status;
  world_open(option("1"));
  make_leaf(1);
  snprintf(link, sizeof link, "%s.link", path);
  ck_assert_int_eq(symlink(path, link), 0);
  ck_assert_int_eq(spgc_profile_write(link, NULL), SPGC_OK);
  ck_assert(S_ISLNK(mode_of(link)));
  ck_assert(S_ISREG(mode_of(path)));
  ck_assert_int_eq(chmod(path, 0600), 0);
  ck_assert_int_eq(spgc_profile_write(link, NULL), SPGC_OK);
  ck_assert_int_eq(mode_of(path) & 0777, 0600);
  ck_assert_uint_eq(profile_sum(profile_read(path), ALLOC_OBJECTS, "leaf", NULL), 1);
  snprintf(removed, sizeof removed, "%s.removed", path);
  int file = open(removed, O_RDWR | O_CREAT, 0600);
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq(unlink(removed), 0);
  ck_assert_int_eq(unlink(link), 0);
  snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", file);
  ck_assert_int_eq(symlink(open_file, link), 0);
  ck_assert_int_eq(spgc_profile_write(link, NULL), SPGC_OK);
  ck_assert(S_ISLNK(mode_of(link)));
  ck_assert_int_eq(fstat(file, &status), 0);
  ck_assert_int_gt(status.st_size, 0);
  ck_assert_int_eq(access(removed, F_OK), -1);
  ck_assert_int_eq(unlink(link), 0);
  close(file);
  world_close();
  remove_files();
}
END_TEST

START_TEST(samples_may_be_taken_without_a_file) {
  struct spgc_options options;
  struct spgc_error error;
  option("1");
  spgc_options_default(&options);
  options.profile_bytes = ((size_t)1 << 30) + 1;
  ck_assert_int_eq(spgc_start(&options, &error), SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_msg(strstr(error.message, "1 GiB") != NULL, "%s", error.message);
  options.profile_bytes = 1;
  ck_assert_int_eq(spgc_start(&options, NULL), SPGC_OK);
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  make_leaf(1);
  ck_assert_uint_eq(profile_sum(profile_now(), ALLOC_OBJECTS, "leaf", NULL), 1);
  world_close();
  remove_files();
}
END_TEST

START_TEST(without_the_option_nothing_is_sampled) {
  struct spgc_error error;
  world_open("");
  make_leaf(1);
  ck_assert_int_eq(spgc_profile_write("/dev/null", &error), SPGC_ERROR_STATE);
  ck_assert_msg(strstr(error.message, "profile_bytes") != NULL, "%s", error.message);
  ck_assert_int_eq(spgc_profile_write(NULL, &error), SPGC_ERROR_INVALID_ARGUMENT);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(60, "heap-profile", every_object_is_counted,
                  stacks_begin_with_the_function_that_allocates, estimates_are_near_the_truth,
                  a_seed_repeats_the_samples, survived_collections_are_counted,
                  threads_are_counted_together, fibers_have_stacks_of_their_own,
                  the_smallest_fiber_writes_one, threads_with_small_stacks_write_one,
                  the_option_writes_a_file_at_the_end, a_process_that_exits_writes_its_file,
                  a_forked_child_does_not_write_over_the_file,
                  a_forked_child_writes_a_file_with_its_number,
                  a_file_that_cannot_be_written_is_told, links_and_modes_stay,
                  samples_may_be_taken_without_a_file, without_the_option_nothing_is_sampled)
