#include <pthread.h>
#include <string.h>

#include "spgc/stackmap.h"
#include "spgc/stackwalk.h"
#include "support/fatal.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

uint64_t sum_of_three(struct spgc_ref a, struct spgc_ref b, struct spgc_ref c);
uint64_t sum_of_eight(struct spgc_ref array);

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

enum { BASES = 64 };

/* Places of the bases. */
struct sight {
  uintptr_t places[BASES];
  size_t count;
  struct spgc_walk_counts counts;
};

static void *base_of_test;
static struct sight own, others;
static uint64_t replacement; /* written by the other thread's walks; 0: nothing */
static uint64_t registers_rewritten;

static void see_bases(void *context, const struct spgc_slot *bases, size_t count) {
  struct sight *sight = context;
  for (size_t i = 0; i < count; i++) {
    ck_assert_uint_lt(sight->count, BASES);
    sight->places[sight->count++] = (uintptr_t)bases[i].location;
    if (sight == &others && replacement != 0)
      bases[i].location->word = replacement;
  }
}

static void *walk_from_elsewhere(void *stack) {
  struct spgc_stack_visitor visitor = {.context = &others, .bases = see_bases};
  spgc_walk_suspended(stack, &visitor, &others.counts);
  registers_rewritten += others.counts.registers_rewritten;
  return NULL;
}

static void *wait_for_the_other(const struct spgc_suspended_stack *stack, void *context) {
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, walk_from_elsewhere, (void *)(uintptr_t)stack), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  return context;
}

static void see_both_ways(void) {
  struct spgc_stack_visitor visitor = {.context = &own, .bases = see_bases};
  memset(&own, 0, sizeof own);
  memset(&others, 0, sizeof others);
  spgc_walk_stack(base_of_test, &visitor, &own.counts);
  ck_assert_ptr_eq(spgc_stack_suspend(base_of_test, wait_for_the_other, &own), &own);
}

static void register_maps(void) {
  struct spgc_stackmap *map;
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  ck_assert_int_eq(spgc_stackmap_register(__start_test_stackmaps, size, &map, NULL), SPGC_OK);
}

static struct spgc_ref array_of_seven(void) {
  struct spgc_ref array = toy_new(1000);
  for (unsigned i = 1; i <= 7; i++)
    toy_set_reference(array, i, toy_new(i));
  return array;
}

static bool has_place(const struct sight *sight, uintptr_t place) {
  size_t i = 0;
  while (i < sight->count && sight->places[i] != place)
    i++;
  return i < sight->count;
}

START_TEST(another_thread_sees_the_same_roots) {
  register_maps();
  base_of_test = __builtin_frame_address(0);
  toy_on_collect = see_both_ways;
  for (int walk = SPGC_WALK_FAST; walk <= SPGC_WALK_DIFFERENTIAL; walk++) {
    spgc_walk_select((enum spgc_walk)walk);
    toy_heap_reset(base_of_test);
    ck_assert_uint_eq(sum_of_eight(array_of_seven()), 1028);
    ck_assert_uint_eq(others.count, 8);
    ck_assert_uint_eq(others.counts.managed_frames, own.counts.managed_frames);
    ck_assert_uint_eq(others.counts.roots_in_registers, own.counts.roots_in_registers);
    size_t same = 0; /* each walk saves registers elsewhere */
    for (size_t i = 0; i < others.count; i++)
      same += has_place(&own, others.places[i]);
    ck_assert_uint_ge(same, others.counts.roots_in_slots);
  }
}
END_TEST

START_TEST(what_another_thread_writes_takes_effect_in_slots_and_registers) {
  register_maps();
  base_of_test = __builtin_frame_address(0);
  toy_on_collect = see_both_ways;
  toy_heap_reset(base_of_test);
  replacement = toy_new(5).word;
  ck_assert_uint_eq(sum_of_three(toy_new(1), toy_new(20), toy_new(300)), 15);
  ck_assert_uint_gt(registers_rewritten, 0);
  toy_heap_reset(base_of_test);
  replacement = toy_new(0).word;
  ck_assert_uint_eq(sum_of_eight(array_of_seven()), 0);
  ck_assert_uint_gt(others.counts.roots_in_slots, 0);
}
END_TEST

static void *register_for_ever(void *done) {
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  while (!__atomic_load_n((bool *)done, __ATOMIC_ACQUIRE)) {
    struct spgc_error error;
    struct spgc_stackmap *second;
    spgc_require(spgc_stackmap_register(__start_test_stackmaps, size, &second, &error) == SPGC_OK,
                 "%s", error.message);
    spgc_stackmap_unregister(second);
    spgc_walk_wait();
  }
  return NULL;
}

START_TEST(maps_come_and_go_while_stacks_are_walked) {
  register_maps();
  bool done = false;
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, register_for_ever, &done), 0);
  base_of_test = __builtin_frame_address(0);
  toy_on_collect = see_both_ways;
  for (int i = 0; i < 200; i++) {
    toy_heap_reset(base_of_test);
    ck_assert_uint_eq(sum_of_eight(array_of_seven()), 1028);
  }
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-suspended");
  TCase *tcase = tcase_create("suspended");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, another_thread_sees_the_same_roots);
  tcase_add_test(tcase, what_another_thread_writes_takes_effect_in_slots_and_registers);
  tcase_add_test(tcase, maps_come_and_go_while_stacks_are_walked);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
