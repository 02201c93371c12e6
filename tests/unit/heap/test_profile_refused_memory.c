/* The process may have no memory for a profile's tables at any call: samples are dropped and
 * counted, none is counted twice, and the program goes on.
 *
 * Linked with --wrap, so that the library's calls come here first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
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

/* Each round refuses another call of those that the samples of its objects make. */
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

CHECK_MAIN("heap-profile-refused-memory", samples_without_memory_are_dropped,
           a_profile_without_memory_is_an_error)
