#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/events.h"
#include "spgc/module.h"
#include "spgc/pin.h"

enum { PAGE = 4096, LARGE_LENGTH = 100000 };

/* Its descriptors have a page of their own. */
struct library {
  struct spgc_type pair, references;
};

static struct library *load_library(void) {
  struct library *library =
      mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(library, MAP_FAILED);
  memcpy(&library->pair, &world_pair, sizeof world_pair);
  memcpy(&library->references, &world_references, sizeof world_references);
  return library;
}

static uint64_t live(const struct library *library) {
  return spgc_types_live(library, library + 1);
}

/* Afterwards reading a descriptor is a SIGSEGV. */
static void unload(struct library *library) {
  ck_assert_int_eq(munmap(library, PAGE), 0);
}

START_TEST(objects_of_every_age_and_size_count) {
  world_open("");
  struct library *library = load_library();
  uint64_t asked = world_statistics().reasons[SPGC_REASON_MODULE];
  ck_assert_uint_eq(live(library), 0);
  ck_assert_uint_eq(world_statistics().reasons[SPGC_REASON_MODULE], asked + 1);
  struct spgc_scope scope = spgc_scope_open();
  for (int age = 0; age < 2; age++) {
    spgc_handle_make(spgc_allocate(&library->pair));
    spgc_handle_make(spgc_allocate_array(&library->references, LARGE_LENGTH));
    world_new_list(100);
    ck_assert_uint_eq(live(library), 2 * ((uint64_t)age + 1));
  }
  ck_assert_uint_eq(spgc_types_live(&library->pair, &library->pair + 1), 2);
  ck_assert_uint_eq(spgc_types_live(library, library), 0);
  spgc_scope_close(scope);
  ck_assert_uint_eq(live(library), 0);
  unload(library);
  world_close();
}
END_TEST

/* Blocks are swept and not freed as a whole. */
START_TEST(garbage_is_gone_and_its_descriptors_are_not_read_again) {
  world_open("");
  enum { COUNT = 4000 };
  struct library *library = load_library();
  struct spgc_handle kept = spgc_handle_make(spgc_allocate_array(&world_references, COUNT));
  struct spgc_handle dropped = spgc_handle_make(spgc_allocate_array(&world_references, COUNT));
  for (unsigned i = 0; i < COUNT; i++) {
    world_set(kept, 2 + i, spgc_allocate(&world_pair));
    world_set(dropped, 2 + i, spgc_allocate(&library->pair));
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(live(library), COUNT);
  for (unsigned i = 0; i < COUNT; i++)
    world_set(dropped, 2 + i, spgc_ref_null());
  ck_assert_uint_eq(live(library), 0);
  unload(library);
  for (int round = 0; round < 4; round++) {
    world_new_list(world_amount(20000, 2000, 200));
    spgc_collect(round % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
  }
  world_verify();
  world_close();
}
END_TEST

START_TEST(what_is_pinned_counts) {
  world_open("");
  struct library *library = load_library();
  struct spgc_ref pinned = spgc_allocate(&library->pair);
  struct spgc_error error;
  ck_assert_int_eq(spgc_pin(pinned, &error), SPGC_OK);
  ck_assert_uint_eq(live(library), 1);
  spgc_unpin(pinned);
  ck_assert_uint_eq(live(library), 0);
  unload(library);
  world_close();
}
END_TEST

START_TEST(nothing_is_live_where_no_heap_is) {
  static const struct spgc_type type = {.size = 16};
  ck_assert_uint_eq(spgc_types_live(&type, &type + 1), 0);
}
END_TEST

static void *ask(void *library) {
  uint64_t *count = malloc(sizeof *count);
  ck_assert_ptr_nonnull(count);
  *count = live(library);
  return count;
}

static void *ask_on_a_thread(void *library) {
  pthread_t thread;
  void *count;
  ck_assert_int_eq(pthread_create(&thread, NULL, ask, library), 0);
  pthread_join(thread, &count);
  return count;
}

START_TEST(any_thread_may_ask) {
  world_open("");
  struct library *library = load_library();
  struct spgc_handle kept = spgc_handle_make(spgc_allocate(&library->pair));
  uint64_t *counts[] = {spgc_call_blocking(ask, library),
                        spgc_call_blocking(ask_on_a_thread, library)};
  for (size_t i = 0; i < 2; i++) {
    ck_assert_uint_eq(*counts[i], 1);
    free(counts[i]);
  }
  struct spgc_type_range ranges[] = {
      {(uintptr_t)&library->pair, (uintptr_t)(&library->pair + 1), 0},
      {(uintptr_t)&library->references, (uintptr_t)(library + 1), 0}};
  ck_assert(spgc_types_count(ranges, 2));
  ck_assert_uint_eq(ranges[0].count, 1);
  ck_assert_uint_eq(ranges[1].count, 0);
  ck_assert(!spgc_ref_is_null(spgc_handle_get(kept)));
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-types-live", objects_of_every_age_and_size_count,
                  garbage_is_gone_and_its_descriptors_are_not_read_again, what_is_pinned_counts,
                  nothing_is_live_where_no_heap_is, any_thread_may_ask)
