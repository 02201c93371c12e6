/* A walk calls no allocator, because the process may be out of memory, or stopped inside malloc. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "spgc/stackmap.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

uint64_t descend(struct spgc_ref object, uint64_t depth);
uint64_t sum_of_eight(struct spgc_ref array);

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

/* glibc's own entry points, while its allocator is watched. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static atomic_bool watching;
static atomic_uint calls;

static void note_call(void) {
  if (atomic_load(&watching))
    atomic_fetch_add(&calls, 1);
}

void *malloc(size_t size) {
  note_call();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note_call();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  note_call();
  return __libc_realloc(memory, size);
}

void free(void *memory) {
  note_call();
  __libc_free(memory);
}

static struct spgc_ref watched_object(void) {
  struct spgc_ref object = toy_new(1);
  for (unsigned i = 1; i <= 7; i++)
    toy_set_reference(object, i, object);
  return object;
}

START_TEST(the_watch_sees_allocations) {
  atomic_store(&watching, true);
  void *volatile memory = malloc(8);
  free(memory);
  atomic_store(&watching, false);
  ck_assert_uint_eq(atomic_load(&calls), 2);
}
END_TEST

START_TEST(walking_does_not_call_malloc) {
  struct spgc_stackmap *map;
  struct spgc_error error;
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  ck_assert_int_eq(spgc_stackmap_register(__start_test_stackmaps, size, &map, &error), SPGC_OK);
  toy_heap_reset(__builtin_frame_address(0));
  struct spgc_ref object = watched_object();
  atomic_store(&watching, true);
  uint64_t deep = descend(object, 30);
  uint64_t wide = sum_of_eight(watched_object());
  atomic_store(&watching, false);
  ck_assert_uint_eq(deep, 31);
  ck_assert_uint_eq(wide, 8);
  ck_assert_uint_eq(toy_statistics.collections, 3);
  ck_assert_uint_eq(atomic_load(&calls), 0);
  spgc_stackmap_unregister(map);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("malloc-free");
  TCase *tests = tcase_create("malloc-free");
  tcase_add_test(tests, the_watch_sees_allocations);
  tcase_add_test(tests, walking_does_not_call_malloc);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
