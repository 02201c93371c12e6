/* Without memory for a profile's tables, or a thread that finds lines, the program continues, and
 * counts dropped samples. --wrap redirects the library's calls here. */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "log_lines.h"
#include "profile_reader.h"
#include "spgc/profile.h"

void *__real_malloc(size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static int calls_until_refusal = -1; /* negative: none is refused */
static bool refuses_all;

static bool refuses(void) {
  return refuses_all || (calls_until_refusal >= 0 && calls_until_refusal-- == 0);
}

void *__wrap_malloc(size_t bytes) {
  return refuses() ? NULL : __real_malloc(bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
  return refuses() ? NULL : __real_realloc(memory, bytes);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

static bool refuses_threads;

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument) {
  return refuses_threads ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}

static char folder[] = "/tmp/spgc-profile-XXXXXX";
static char path[sizeof folder + 20];

static void open_world(void *base) {
  static char text[sizeof folder + 60];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/now.pb", folder);
  snprintf(text, sizeof text, "profile=%s:1", path);
  world_open_at(base, text);
}

static void close_world(void) {
  world_close();
  unlink(path);
  ck_assert_int_eq(rmdir(folder), 0);
}

enum { OBJECTS = 500 };

/* Each round refuses another call. */
START_TEST(samples_without_memory_are_dropped) {
  open_world(__builtin_frame_address(0));
  unsigned allocated = 0;
  for (int refused = 0; refused < 40; refused++) {
    calls_until_refusal = refused;
    for (int i = 0; i < OBJECTS / 40; i++, allocated++)
      spgc_allocate_array(&world_bytes, 8 * (unsigned)i);
    calls_until_refusal = -1;
    if (refused % 10 == 9)
      spgc_collect(SPGC_COLLECTION_MINOR);
  }
  ck_assert_int_eq(spgc_profile_write(path, NULL), SPGC_OK);
  const struct profile *profile = profile_read(path);
  ck_assert_uint_ge(world_statistics().collections, world_is_stressed() ? allocated : 4);
  uint64_t counted = profile_sum(profile, ALLOC_OBJECTS, NULL, NULL);
  ck_assert_uint_lt(counted, allocated);
  ck_assert_uint_gt(counted, allocated / 2);
  ck_assert_uint_eq(profile->comments, 2); /* the version, and what was dropped */
  close_world();
}
END_TEST

START_TEST(a_profile_without_memory_is_an_error) {
  struct spgc_error error;
  open_world(__builtin_frame_address(0));
  world_new_leaf(1);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_ge(world_statistics().moved_objects, 1);
  refuses_all = true;
  enum spgc_result result = spgc_profile_write(path, &error);
  refuses_all = false;
  ck_assert_int_eq(result, SPGC_ERROR_NO_MEMORY);
  for (int refused = 0; result != SPGC_OK; refused++) {
    calls_until_refusal = refused;
    result = spgc_profile_write(path, &error);
    calls_until_refusal = -1;
    ck_assert_int_lt(refused, 100000);
    ck_assert(result == SPGC_OK || result == SPGC_ERROR_NO_MEMORY);
  }
  ck_assert_uint_eq(profile_sum(profile_read(path), INUSE_OBJECTS, "leaf", NULL), 1);
  close_world();
}
END_TEST

static bool has_lines(const struct profile *profile) {
  for (size_t i = 0; i < profile->count; i++)
    for (size_t call = 0; call < profile->samples[i].depth; call++)
      if (profile->samples[i].lines[call] != 0)
        return true;
  return false;
}

/* Lines need libdw and debug information. */
START_TEST(a_profile_without_a_thread_has_no_lines) {
  log_folder_make();
  open_world(__builtin_frame_address(0));
  world_new_leaf(1);
  int before = log_divert_errors("errors");
  refuses_threads = true;
  enum spgc_result result = spgc_profile_write(path, NULL);
  refuses_threads = false;
  log_restore_errors(before);
  bool can_have_lines = dlopen("libdw.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL;
  ck_assert_int_eq(result, SPGC_OK);
  log_check(log_path("errors"), "^spgc: profile: it has no source lines, .*: Resource temporarily",
            can_have_lines);
  const struct profile *profile = profile_read(path);
  ck_assert_uint_eq(profile_sum(profile, ALLOC_OBJECTS, "leaf", NULL), 1);
  ck_assert(!has_lines(profile));
  ck_assert_int_eq(spgc_profile_write(path, NULL), SPGC_OK);
  ck_assert(has_lines(profile_read(path)) == can_have_lines);
  close_world();
  log_folder_remove();
}
END_TEST

CHECK_MAIN("heap-profile-refused-memory", a_profile_without_a_thread_has_no_lines,
           samples_without_memory_are_dropped, a_profile_without_memory_is_an_error)
