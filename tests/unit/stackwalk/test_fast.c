#include <pthread.h>
#include <sys/mman.h>

#include "spgc/stackmap.h"
#include "stackwalk/frame_table.h"
#include "support/fatal.h"
#include "tests/support/fatal_check.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

uint64_t dive(struct spgc_ref a, struct spgc_ref b, struct spgc_ref c, uint64_t depth);
uint64_t sum_of_three(struct spgc_ref a, struct spgc_ref b, struct spgc_ref c);
uint64_t sum_of_eight(struct spgc_ref array);
uint64_t sum_beside_dynamic_alloca(struct spgc_ref array, uint64_t bytes);

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

static struct spgc_stackmap *map;

static void register_maps(void) {
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  ck_assert_int_eq(spgc_stackmap_register(__start_test_stackmaps, size, &map, NULL), SPGC_OK);
}

static void unregister_maps(void) {
  spgc_stackmap_unregister(map);
}

static void *walk_base;
static struct frame_entry *innermost;

static bool note_entry(void *context, const struct spgc_frame *frame) {
  (void)context;
  innermost = frame_table_find((struct return_address){frame->return_address});
  return false;
}

static enum unwind_plan_kind kind_at(struct return_address address) {
  const struct frame_entry *entry = frame_table_find(address);
  spgc_require(entry != NULL, "no entry");
  return unwind_plan_kind(frame_entry_unwind_plan(entry));
}

static void walk_and_note(void) {
  struct spgc_stack_visitor whole = {0}, first = {.frame = note_entry};
  spgc_walk_stack(walk_base, &whole, NULL);
  spgc_walk_stack(walk_base, &first, NULL);
}

static struct spgc_ref array_of_seven(void) {
  struct spgc_ref array = toy_new(1000);
  for (unsigned i = 1; i <= 7; i++)
    toy_set_reference(array, i, toy_new(i));
  return array;
}

static void note_frame_of_three(void) {
  walk_base = __builtin_frame_address(0);
  toy_on_collect = walk_and_note;
  toy_heap_reset(walk_base);
  ck_assert_uint_eq(sum_of_three(toy_new(1), toy_new(2), toy_new(3)), 6);
  toy_on_collect = NULL;
}

START_TEST(a_unwind_plan_is_learned_by_the_first_walk) {
  note_frame_of_three();
  ck_assert_int_eq(unwind_plan_kind(frame_entry_unwind_plan(innermost)), UNWIND_PLAN_KNOWN);
}
END_TEST

START_TEST(a_unwind_plan_goes_with_its_map) {
  note_frame_of_three();
  struct return_address address = innermost->return_address;
  unregister_maps();
  ck_assert_ptr_null(frame_table_find(address));
  register_maps();
  ck_assert_int_eq(kind_at(address), UNWIND_PLAN_UNKNOWN);
  note_frame_of_three();
  ck_assert_int_eq(kind_at(address), UNWIND_PLAN_KNOWN);
}
END_TEST

START_TEST(unwinding_learns_nothing) {
  spgc_walk_select(SPGC_WALK_UNWIND);
  note_frame_of_three();
  ck_assert_int_eq(unwind_plan_kind(frame_entry_unwind_plan(innermost)), UNWIND_PLAN_UNKNOWN);
}
END_TEST

START_TEST(a_frame_of_varying_size_has_no_unwind_plan) {
  walk_base = __builtin_frame_address(0);
  toy_on_collect = walk_and_note;
  toy_heap_reset(walk_base);
  ck_assert_uint_eq(sum_beside_dynamic_alloca(array_of_seven(), 100), 1029);
  ck_assert_int_eq(unwind_plan_kind(frame_entry_unwind_plan(innermost)), UNWIND_PLAN_NONE);
}
END_TEST

static void see_register_roots(void *context, const struct spgc_frame *frame,
                               const struct spgc_root *root) {
  *(uint64_t *)context += root->base_in_register;
}

static uint64_t register_roots;

static void walk_for_registers(void) {
  struct spgc_stack_visitor visitor = {.context = &register_roots, .root = see_register_roots};
  spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
  spgc_walk_stack(walk_base, &visitor, NULL);
}

START_TEST(all_six_callee_saved_registers_hold_roots) {
  walk_base = __builtin_frame_address(0);
  toy_on_collect = walk_for_registers;
  toy_heap_reset(walk_base);
  ck_assert_uint_eq(sum_of_eight(array_of_seven()), 1028);
  ck_assert_uint_eq(register_roots, 2 * CALLEE_SAVED_REGISTERS);
}
END_TEST

enum { DEEP = 1000000 };
static const size_t deep_stack_size = (size_t)1 << 30;

static void *dive_deep(void *unused) {
  toy_heap_reset(__builtin_frame_address(0));
  ck_assert_uint_eq(dive(toy_new(1), toy_new(20), toy_new(300), DEEP), UINT64_C(321) * DEEP);
  ck_assert_uint_eq(toy_statistics.walks.managed_frames, DEEP + 1);
  ck_assert_uint_eq(toy_statistics.walks.roots_in_slots + toy_statistics.walks.roots_in_registers,
                    UINT64_C(3) * DEEP);
  return NULL;
}

static void run_deep(enum spgc_walk walk) {
  spgc_walk_select(walk);
  void *stack = mmap(NULL, deep_stack_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  ck_assert_ptr_ne(stack, MAP_FAILED);
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ck_assert_int_eq(pthread_attr_setstack(&attributes, stack, deep_stack_size), 0);
  ck_assert_int_eq(pthread_create(&thread, &attributes, dive_deep, NULL), 0);
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  munmap(stack, deep_stack_size);
}

START_TEST(a_million_frames_are_walked_by_unwind_plan) {
  run_deep(SPGC_WALK_FAST);
}
END_TEST

START_TEST(both_ways_agree_on_a_million_frames) {
  run_deep(SPGC_WALK_DIFFERENTIAL);
}
END_TEST

/* Replaces an entry of the table for the next walk. */
static uint32_t unwind_plan_damage;

static void damage_and_walk(void) {
  walk_and_note();
  atomic_fetch_xor(&innermost->unwind_plan, unwind_plan_damage);
  spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
  walk_and_note();
}

static void walk_damaged(void) {
  register_maps();
  walk_base = __builtin_frame_address(0);
  toy_on_collect = damage_and_walk;
  toy_heap_reset(walk_base);
  spgc_require(sum_of_three(toy_new(1), toy_new(2), toy_new(3)) == 6,
               "no tail call: its frame is not the last one");
}

START_TEST(a_wrong_frame_size_is_found) {
  unwind_plan_damage = UINT32_C(2) << UNWIND_PLAN_FRAME_SHIFT;
  check_is_fatal(walk_damaged, "walks differ in the stack pointer");
}
END_TEST

START_TEST(a_wrong_register_is_found) {
  unwind_plan_damage = 1;
  check_is_fatal(walk_damaged, "walks differ in where register");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("fast");
  TCase *unwind_plans = tcase_create("unwind-plans");
  tcase_add_checked_fixture(unwind_plans, register_maps, unregister_maps);
  tcase_add_test(unwind_plans, a_unwind_plan_is_learned_by_the_first_walk);
  tcase_add_test(unwind_plans, a_unwind_plan_goes_with_its_map);
  tcase_add_test(unwind_plans, unwinding_learns_nothing);
  tcase_add_test(unwind_plans, a_frame_of_varying_size_has_no_unwind_plan);
  tcase_add_test(unwind_plans, all_six_callee_saved_registers_hold_roots);
  suite_add_tcase(suite, unwind_plans);
  TCase *deep = tcase_create("deep");
  tcase_set_timeout(deep, 100);
  tcase_add_checked_fixture(deep, register_maps, unregister_maps);
  tcase_add_test(deep, a_million_frames_are_walked_by_unwind_plan);
  tcase_add_test(deep, both_ways_agree_on_a_million_frames);
  suite_add_tcase(suite, deep);
  TCase *damage = tcase_create("damage");
  tcase_add_test(damage, a_wrong_frame_size_is_found);
  tcase_add_test(damage, a_wrong_register_is_found);
  suite_add_tcase(suite, damage);
  return suite_run(suite);
}
