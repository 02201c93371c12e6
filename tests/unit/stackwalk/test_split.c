/* Managed code with split stacks recurses far beyond the thread's stack. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "spgc/stackmap.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

uint64_t dive_split(struct spgc_ref a, struct spgc_ref b, uint64_t depth);

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

static struct spgc_stackmap *map;

static void register_maps(void) {
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  ck_assert_int_eq(spgc_stackmap_register(__start_test_stackmaps, size, &map, NULL), SPGC_OK);
}

static void unregister_maps(void) {
  spgc_stackmap_unregister(map);
}

enum { DEEP = 400000, FRAME_BYTES = 32, SHALLOW = 2000 };

static void dive(enum spgc_walk walk, uint64_t depth) {
  spgc_walk_select(walk);
  toy_heap_reset(__builtin_frame_address(0));
  ck_assert_uint_eq(dive_split(toy_new(1), toy_new(20), depth), 21 * depth);
  ck_assert_uint_eq(toy_statistics.collections, 1);
  ck_assert_uint_eq(toy_statistics.walks.managed_frames, depth + 1);
  ck_assert_uint_eq(toy_statistics.moved_roots, 2 * depth);
}

START_TEST(every_stacklet_is_walked) {
  struct rlimit limit;
  ck_assert_int_eq(getrlimit(RLIMIT_STACK, &limit), 0);
  ck_assert(limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur < (rlim_t)DEEP * FRAME_BYTES);
  dive(SPGC_WALK_FAST, DEEP);
  dive(SPGC_WALK_FAST, DEEP);
}
END_TEST

START_TEST(both_ways_of_walking_agree) {
  dive(SPGC_WALK_UNWIND, SHALLOW);
  dive(SPGC_WALK_DIFFERENTIAL, SHALLOW);
}
END_TEST

static void *dive_all_ways(void *unused) {
  dive(SPGC_WALK_FAST, DEEP);
  dive(SPGC_WALK_DIFFERENTIAL, SHALLOW);
  return NULL;
}

/* The thread's stack is in the lowest 2 GiB. */
START_TEST(stacklets_may_be_above_the_base) {
  enum { STACK = 1 << 18 };
  void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_32BIT, -1, 0);
  ck_assert_ptr_ne(stack, MAP_FAILED);
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ck_assert_int_eq(pthread_attr_setstack(&attributes, stack, STACK), 0);
  ck_assert_int_eq(pthread_create(&thread, &attributes, dive_all_ways, NULL), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  munmap(stack, STACK);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("split");
  TCase *tests = tcase_create("split");
  tcase_set_timeout(tests, 60);
  tcase_add_checked_fixture(tests, register_maps, unregister_maps);
  tcase_add_test(tests, every_stacklet_is_walked);
  tcase_add_test(tests, both_ways_of_walking_agree);
  tcase_add_test(tests, stacklets_may_be_above_the_base);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
