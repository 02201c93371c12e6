#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"
#include "spgc/stackwalk.h"
#include "stackwalk/frame_table.h"
#include "stackwalk/machine.h"
#include "tests/support/fatal_check.h"
#include "tests/support/stackmap_builder.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

uint64_t sum_of_three(struct spgc_ref a, struct spgc_ref b, struct spgc_ref c);
uint64_t sum_of_words(struct spgc_ref object, uint64_t words);
uint64_t sum_through_vectors(struct spgc_ref a, struct spgc_ref b, uint64_t plab);
uint64_t keep_null_based(struct spgc_ref object, uint64_t bits, bool choose);
uint64_t descend(struct spgc_ref object, uint64_t depth);
uint64_t sum_of_eight(struct spgc_ref array);
uint64_t read_alloca(struct spgc_ref object);
uint64_t read_structure(struct spgc_ref object);
uint64_t sum_beside_dynamic_alloca(struct spgc_ref array, uint64_t bytes);
uint64_t sum_beside_realigned_alloca(struct spgc_ref array, uint64_t bytes);
uint64_t sum_of_words_of_both(struct spgc_ref a, struct spgc_ref b, uint64_t words);
uint64_t call_without_unwind_information(void (*function)(void));

/* A copy of .llvm_stackmaps, with a C name for which the linker gives bounds. */
extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

static struct spgc_stackmap *live;

static void register_maps(void) {
  struct spgc_error error;
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  enum spgc_result result = spgc_stackmap_register(__start_test_stackmaps, size, &live, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
}

static void unregister_maps(void) {
  spgc_stackmap_unregister(live);
  live = NULL;
}

START_TEST(rewrites_saved_registers) {
  toy_heap_reset(__builtin_frame_address(0));
  uint64_t sum = sum_of_three(toy_new(1), toy_new(20), toy_new(300));
  ck_assert_uint_eq(sum, 321);
  ck_assert_uint_eq(toy_statistics.collections, 2);
  ck_assert_uint_eq(toy_statistics.moved_roots, 6);
  ck_assert_uint_eq(toy_statistics.walks.managed_frames, 2);
  ck_assert_uint_gt(toy_statistics.walks.registers_rewritten, 0);
  ck_assert_uint_eq(toy_statistics.walks.registers_rewritten,
                    toy_statistics.walks.roots_in_registers);
}
END_TEST

static struct spgc_ref array_of_seven(void) {
  struct spgc_ref array = toy_new(1000);
  for (unsigned i = 1; i <= 7; i++)
    toy_set_reference(array, i, toy_new(i));
  return array;
}

START_TEST(rewrites_slots_and_registers_of_one_frame) {
  toy_heap_reset(__builtin_frame_address(0));
  ck_assert_uint_eq(sum_of_eight(array_of_seven()), 1028);
  ck_assert_uint_gt(toy_statistics.walks.roots_in_slots, 0);
  ck_assert_uint_gt(toy_statistics.walks.registers_rewritten, 0);
  ck_assert_uint_eq(toy_statistics.walks.roots_in_slots + toy_statistics.walks.roots_in_registers,
                    2 * 8);
}
END_TEST

START_TEST(finds_slots_of_frames_of_dynamic_size) {
  for (uint64_t bytes = 1; bytes < 3000; bytes = 3 * bytes + 1) {
    toy_heap_reset(__builtin_frame_address(0));
    ck_assert_uint_eq(sum_beside_dynamic_alloca(array_of_seven(), bytes), 1029);
    ck_assert_uint_gt(toy_statistics.walks.roots_in_slots, 0);
    toy_heap_reset(__builtin_frame_address(0));
    ck_assert_uint_eq(sum_beside_realigned_alloca(array_of_seven(), bytes), 1029);
    ck_assert_uint_gt(toy_statistics.walks.roots_in_slots, 0);
  }
}
END_TEST

START_TEST(rewrites_every_lane_of_derived_vectors) {
  toy_heap_reset(__builtin_frame_address(0));
  struct spgc_ref a = toy_new(3), b = toy_new(50);
  toy_set_word(a, 5, 1000);
  ck_assert_uint_eq(sum_of_words_of_both(a, b, TOY_WORDS), 11 * 3 + 1000 + 12 * 50);
  ck_assert_uint_gt(toy_statistics.derived_pairs, 0);
}
END_TEST

START_TEST(rewrites_derived_pointers_up_to_one_past_the_end) {
  toy_heap_reset(__builtin_frame_address(0));
  struct spgc_ref object = toy_new(0);
  uint64_t expected = 0;
  for (unsigned i = 0; i < TOY_WORDS; i++) {
    toy_set_word(object, i, i * i + 1);
    expected += i * i + 1;
  }
  expected += (TOY_WORDS - 1) * (TOY_WORDS - 1) + 1;
  ck_assert_uint_eq(sum_of_words(object, TOY_WORDS), expected);
  ck_assert_uint_eq(toy_statistics.collections, TOY_WORDS + 1);
  ck_assert_uint_gt(toy_statistics.derived_pairs, 0);
}
END_TEST

START_TEST(rewrites_every_lane_of_vectors) {
  for (uint64_t plab = 0; plab < 2; plab++) {
    toy_heap_reset(__builtin_frame_address(0));
    uint64_t sum = sum_through_vectors(toy_new(10), toy_new(1), plab);
    ck_assert_uint_eq(sum, plab == 0 ? 31 : 4);
    ck_assert_uint_ge(toy_statistics.walks.roots_in_slots, 2 * (2 + 4 + 8));
  }
}
END_TEST

START_TEST(leaves_values_made_from_null_alone) {
  const uint64_t bits = UINT64_C(0x7FF8123456789ABC);
  for (int choose = 0; choose < 2; choose++) {
    toy_heap_reset(__builtin_frame_address(0));
    ck_assert_uint_eq(keep_null_based(toy_new(5), bits, choose), bits + 5 + (uint64_t)choose);
    ck_assert_uint_ge(toy_statistics.moved_roots, 1);
  }
}
END_TEST

START_TEST(rewrites_references_in_allocas) {
  toy_heap_reset(__builtin_frame_address(0));
  ck_assert_uint_eq(read_alloca(toy_new(21)), 42);
  ck_assert_uint_eq(toy_statistics.moved_roots, 2);
}
END_TEST

START_TEST(rewrites_the_references_of_structures_and_nothing_else_in_them) {
  toy_heap_reset(__builtin_frame_address(0));
  ck_assert_uint_eq(read_structure(toy_new(21)), 42);
  ck_assert_uint_eq(toy_statistics.moved_roots, 2);
  ck_assert_uint_eq(toy_statistics.walks.roots_in_slots, 3);
}
END_TEST

START_TEST(steps_through_c_frames_between_managed_frames) {
  enum { DEPTH = 40 };
  toy_heap_reset(__builtin_frame_address(0));
  struct spgc_ref below = toy_new(1);
  for (uint64_t i = 1; i <= DEPTH; i++) {
    struct spgc_ref object = toy_new(i);
    toy_set_reference(object, 1, below);
    below = object;
  }
  ck_assert_uint_eq(descend(below, DEPTH), DEPTH * (DEPTH + 1) / 2 + 1);
  ck_assert_uint_eq(toy_statistics.walks.managed_frames, DEPTH + 1);
  ck_assert_uint_ge(toy_statistics.walks.frames, 2 * DEPTH + 1);
  ck_assert_uint_gt(toy_statistics.walks.registers_rewritten, DEPTH / 2);
}
END_TEST

START_TEST(reports_the_id_of_the_call_site) {
  toy_heap_reset(__builtin_frame_address(0));
  read_alloca(toy_new(1));
  ck_assert_uint_eq(toy_statistics.last_id, 9);
  sum_of_three(toy_new(1), toy_new(1), toy_new(1));
  ck_assert_uint_eq(toy_statistics.last_id, 2882400000);
}
END_TEST

static struct spgc_ref top_of_chain(unsigned count) {
  struct spgc_ref object = toy_new(1);
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref above = toy_new(1);
    toy_set_reference(above, 1, object);
    object = above;
  }
  return object;
}

static _Thread_local void *walk_base;
static uint64_t frames_seen;

static bool stop_at_third_frame(void *context, const struct spgc_frame *frame) {
  (void)context;
  (void)frame;
  return ++frames_seen < 3;
}

static void walk_three_frames(void) {
  struct spgc_stack_visitor visitor = {.frame = stop_at_third_frame};
  struct spgc_walk_counts counts;
  spgc_walk_stack(walk_base, &visitor, &counts);
  ck_assert_uint_eq(counts.managed_frames, 3);
}

START_TEST(ends_when_the_visitor_says_so) {
  walk_base = __builtin_frame_address(0);
  toy_heap_reset(walk_base);
  toy_on_collect = walk_three_frames;
  ck_assert_uint_eq(descend(top_of_chain(4), 4), 5);
  ck_assert_uint_eq(frames_seen, 3);
}
END_TEST

static void walk_to_middle(void) {
  struct spgc_stack_visitor visitor = {0};
  struct spgc_walk_counts counts;
  spgc_walk_stack(walk_base, &visitor, &counts);
  ck_assert_uint_eq(counts.managed_frames, 1);
}

static uint64_t call_from_new_base(struct spgc_ref object, uint64_t depth) {
  walk_base = __builtin_frame_address(0);
  return descend(object, depth);
}

START_TEST(visits_nothing_above_its_base) {
  toy_heap_reset(__builtin_frame_address(0));
  toy_on_collect = walk_to_middle;
  toy_on_call = call_from_new_base;
  ck_assert_uint_eq(descend(top_of_chain(3), 3), 4);
}
END_TEST

enum { THREADS = 4, WALKS = 200, THREAD_DEPTH = 20 };

static atomic_uint complete_walks;

static void walk_whole_thread(void) {
  struct spgc_stack_visitor visitor = {0};
  struct spgc_walk_counts counts;
  spgc_walk_stack(walk_base, &visitor, &counts);
  if (counts.managed_frames == THREAD_DEPTH + 1)
    atomic_fetch_add(&complete_walks, 1);
}

static void *walk_often(void *object) {
  walk_base = __builtin_frame_address(0);
  for (int i = 0; i < WALKS; i++)
    descend(spgc_ref_from_word((uintptr_t)object), THREAD_DEPTH);
  return NULL;
}

START_TEST(threads_walk_at_the_same_time) {
  pthread_t threads[THREADS];
  toy_heap_reset(__builtin_frame_address(0));
  void *object = spgc_ref_memory(top_of_chain(THREAD_DEPTH));
  toy_on_collect = walk_whole_thread;
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, walk_often, object), 0);
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  ck_assert_uint_eq(atomic_load(&complete_walks), THREADS * WALKS);
}
END_TEST

enum { LEARNERS = 2, ROUNDS = 2000 };

static atomic_uint arrived;
static struct frame_entry *repeated_entry;
static struct unwind_plan learnt;
static atomic_uint lost_plans;

static bool note_entry(void *context, const struct spgc_frame *frame) {
  repeated_entry = frame_table_find((struct return_address){frame->return_address});
  return ++frames_seen < THREAD_DEPTH / 2;
}

static void walk_to_repeated_frame(void) {
  struct spgc_stack_visitor visitor = {.frame = note_entry};
  spgc_walk_stack(walk_base, &visitor, NULL);
}

/* A barrier would wake them one by one. */
static void meet(unsigned times) {
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < LEARNERS * times)
    sched_yield();
}

static void *learn_often(void *object) {
  walk_base = __builtin_frame_address(0);
  unsigned met = 0;
  for (int i = 0; i < ROUNDS; i++) {
    atomic_store(&repeated_entry->unwind_plan, learnt.word >> UNWIND_PLAN_FRAME_SHIFT);
    meet(++met);
    descend(spgc_ref_from_word((uintptr_t)object), THREAD_DEPTH);
    meet(++met);
    lost_plans += frame_entry_unwind_plan(repeated_entry).word != learnt.word;
    meet(++met);
  }
  return NULL;
}

/* It is forgotten before each round. */
START_TEST(threads_learn_a_frame_at_the_same_time) {
  pthread_t threads[LEARNERS];
  walk_base = __builtin_frame_address(0);
  toy_heap_reset(walk_base);
  void *object = spgc_ref_memory(top_of_chain(THREAD_DEPTH));
  toy_on_collect = walk_whole_thread;
  descend(spgc_ref_from_word((uintptr_t)object), THREAD_DEPTH);
  toy_on_collect = walk_to_repeated_frame;
  descend(spgc_ref_from_word((uintptr_t)object), THREAD_DEPTH);
  learnt = frame_entry_unwind_plan(repeated_entry);
  ck_assert_int_eq(unwind_plan_kind(learnt), UNWIND_PLAN_KNOWN);
  toy_on_collect = walk_whole_thread;
  for (int i = 0; i < LEARNERS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, learn_often, object), 0);
  for (int i = 0; i < LEARNERS; i++)
    ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
  ck_assert_uint_eq(atomic_load(&lost_plans), 0);
  ck_assert_uint_eq(atomic_load(&complete_walks), 1 + LEARNERS * ROUNDS);
}
END_TEST

/* By the grammar of spgc/stackmap_reader.h: runs of `words` words at `offset`. */
static unsigned count_runs(const struct spgc_stackmap_section *section,
                           const struct spgc_stackmap_blob *blob,
                           const struct spgc_stackmap_record *record, uint64_t offset,
                           uint64_t words) {
  struct spgc_statepoint_layout layout;
  unsigned count = 0;
  if (!spgc_stackmap_statepoint_layout(section, blob, record, &layout) ||
      layout.variable_count == 0)
    return 0;
  for (uint32_t i = 0; i < layout.variable_count; i++) {
    struct spgc_stackmap_location at =
        spgc_stackmap_location_at(section, blob, record, layout.first_variable + i);
    if (i == 0)
      ck_assert_int_eq(at.kind, SPGC_LOCATION_DIRECT);
    if (at.kind == SPGC_LOCATION_CONSTANT && at.offset != SPGC_STACKMAP_RUN_PRIVATE)
      count += (uint64_t)at.offset == (offset << SPGC_STACKMAP_RUN_OFFSET_SHIFT | words);
  }
  struct spgc_stackmap_location end = spgc_stackmap_location_at(
      section, blob, record, layout.first_variable + layout.variable_count + 1);
  ck_assert_int_eq(end.kind, SPGC_LOCATION_CONSTANT_INDEX);
  ck_assert_uint_eq(spgc_stackmap_constant_at(section, blob, (uint32_t)end.offset),
                    SPGC_STACKMAP_VARIABLES);
  return count;
}

static unsigned count_runs_of_all(uint64_t offset, uint64_t words) {
  const struct spgc_stackmap_section section = {
      __start_test_stackmaps, (uint64_t)(__stop_test_stackmaps - __start_test_stackmaps),
      SPGC_LITTLE_ENDIAN};
  struct spgc_stackmap_blob blob;
  struct spgc_stackmap_record record;
  unsigned count = 0;
  for (uint64_t position = 0;;) {
    ck_assert_int_eq(spgc_stackmap_read_blob(&section, &position, &blob, NULL), SPGC_OK);
    if (blob.version == 0)
      return count;
    for (uint32_t i = 0; i < blob.record_count; i++) {
      ck_assert_int_eq(spgc_stackmap_read_record(&section, &blob, &position, &record, NULL),
                       SPGC_OK);
      count += count_runs(&section, &blob, &record, offset, words);
    }
  }
}

/* alloca.ll has a variable with two words at 8 and one at 32. */
START_TEST(the_reader_finds_the_references_of_variables) {
  ck_assert_uint_eq(count_runs_of_all(8, 2), 1);
  ck_assert_uint_eq(count_runs_of_all(32, 1), 1);
  ck_assert_uint_eq(count_runs_of_all(16, 1), 0);
}
END_TEST

static void walk_to_nowhere(void) {
  struct spgc_stack_visitor visitor = {0};
  spgc_walk_stack((void *)UINTPTR_MAX, &visitor, NULL);
}

START_TEST(walk_that_misses_its_base_is_fatal) {
  check_is_fatal(walk_to_nowhere, "before its base 0xffffffffffffffff");
}
END_TEST

static void walk_down(void) {
  struct spgc_stack_visitor visitor = {0};
  spgc_walk_stack((void *)16, &visitor, NULL);
}

START_TEST(base_below_the_stack_pointer_is_fatal) {
  check_is_fatal(walk_down, "is below the stack pointer");
}
END_TEST

static void walk_with_an_unknown_callback(void) {
  struct spgc_stack_visitor visitor = {.reserved = {0, 1}};
  spgc_walk_stack(__builtin_frame_address(0), &visitor, NULL);
}

START_TEST(a_callback_of_a_later_release_is_fatal) {
  check_is_fatal(walk_with_an_unknown_callback, "`reserved` members that are not 0");
}
END_TEST

static void register_built(struct stackmap_builder *builder) {
  struct spgc_error error;
  struct spgc_stackmap *map;
  ck_assert_msg(spgc_stackmap_register(builder->bytes, builder->size, &map, &error) == SPGC_OK,
                "%s", error.message);
}

static void call_function_without_records(void) {
  struct stackmap_builder builder = {0};
  builder_header(&builder, 3, 1, 0, 0);
  builder_function(&builder, (uintptr_t)sum_of_three, 24, 0);
  register_built(&builder);
  toy_heap_reset(__builtin_frame_address(0));
  sum_of_three(toy_new(1), toy_new(2), toy_new(3));
}

START_TEST(managed_frame_without_a_record_is_fatal) {
  check_is_fatal(call_function_without_records, "has no stack map record");
}
END_TEST

/* While no map lists the function, it is C to the walker. */
static void call_before_and_after_registration(void) {
  toy_heap_reset(__builtin_frame_address(0));
  sum_of_three(toy_new(1), toy_new(2), toy_new(3));
  call_function_without_records();
}

START_TEST(registration_makes_known_c_code_managed) {
  check_is_fatal(call_before_and_after_registration, "has no stack map record");
}
END_TEST

/* Without unwind information, in three instructions. */
__asm__(".text\n"
        ".globl call_without_unwind_information\n"
        ".type call_without_unwind_information, @function\n"
        "call_without_unwind_information:\n"
#if defined(__x86_64__)
        "  sub $24, %rsp\n"
        "  call *%rdi\n"
        "  add $24, %rsp\n"
#elif defined(__aarch64__)
        "  str x30, [sp, #-16]!\n"
        "  blr x0\n"
        "  ldr x30, [sp], #16\n"
#endif
        "  ret\n"
        ".size call_without_unwind_information, . - call_without_unwind_information\n");

static void collect_below_unknown_code(void) {
  toy_heap_reset(__builtin_frame_address(0));
  call_without_unwind_information(collect);
  __asm__ volatile(""); /* the call above is no tail call, which would end the base's frame */
}

START_TEST(frame_without_unwind_information_is_fatal) {
  check_is_fatal(collect_below_unknown_code, "no unwind information");
}
END_TEST

static uintptr_t first_return_address;

static bool note_return_address(void *context, const struct spgc_frame *frame) {
  (void)context;
  if (first_return_address == 0)
    first_return_address = frame->return_address;
  return false;
}

static void walk_for_return_address(void) {
  struct spgc_stack_visitor visitor = {.frame = note_return_address};
  spgc_walk_stack(walk_base, &visitor, NULL);
}

static void claim_slot_beyond_the_base(void) {
  register_maps();
  walk_base = __builtin_frame_address(0);
  toy_heap_reset(walk_base);
  toy_on_collect = walk_for_return_address;
  sum_of_three(toy_new(1), toy_new(2), toy_new(3));
  toy_on_collect = NULL;
  unregister_maps();
  struct stackmap_builder builder = {0};
  uintptr_t function = (uintptr_t)sum_of_three;
  const struct builder_location pair[] = {{3, 8, DWARF_STACK_POINTER, 1 << 24},
                                          {3, 8, DWARF_STACK_POINTER, 1 << 24}};
  builder_header(&builder, 3, 1, 0, 1);
  builder_function(&builder, function, 24, 1);
  builder_statepoint(&builder, 1, (uint32_t)(first_return_address - function), pair, 2);
  register_built(&builder);
  sum_of_three(toy_new(1), toy_new(2), toy_new(3));
}

START_TEST(slot_outside_the_stack_is_fatal) {
  check_is_fatal(claim_slot_beyond_the_base, "is outside the stack");
}
END_TEST

static void walk_fast(void) {
  spgc_walk_select(SPGC_WALK_FAST);
}

static void walk_by_unwinding(void) {
  spgc_walk_select(SPGC_WALK_UNWIND);
}

static void walk_both_ways(void) {
  spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
}

static void add_tests(Suite *suite, const char *name, void (*select)(void)) {
  TCase *walks = tcase_create(name);
  tcase_add_checked_fixture(walks, select, NULL);
  tcase_add_checked_fixture(walks, register_maps, unregister_maps);
  tcase_add_test(walks, rewrites_saved_registers);
  tcase_add_test(walks, rewrites_slots_and_registers_of_one_frame);
  tcase_add_test(walks, finds_slots_of_frames_of_dynamic_size);
  tcase_add_test(walks, rewrites_every_lane_of_derived_vectors);
  tcase_add_test(walks, rewrites_derived_pointers_up_to_one_past_the_end);
  tcase_add_test(walks, rewrites_every_lane_of_vectors);
  tcase_add_test(walks, leaves_values_made_from_null_alone);
  tcase_add_test(walks, rewrites_references_in_allocas);
  tcase_add_test(walks, rewrites_the_references_of_structures_and_nothing_else_in_them);
  tcase_add_test(walks, steps_through_c_frames_between_managed_frames);
  tcase_add_test(walks, reports_the_id_of_the_call_site);
  tcase_add_test(walks, ends_when_the_visitor_says_so);
  tcase_add_test(walks, visits_nothing_above_its_base);
  tcase_add_test(walks, threads_walk_at_the_same_time);
  tcase_add_test(walks, the_reader_finds_the_references_of_variables);
  suite_add_tcase(suite, walks);
  TCase *fatal = tcase_create(name);
  tcase_add_checked_fixture(fatal, select, NULL);
  tcase_add_test(fatal, walk_that_misses_its_base_is_fatal);
  tcase_add_test(fatal, base_below_the_stack_pointer_is_fatal);
  tcase_add_test(fatal, a_callback_of_a_later_release_is_fatal);
  tcase_add_test(fatal, managed_frame_without_a_record_is_fatal);
  tcase_add_test(fatal, registration_makes_known_c_code_managed);
  tcase_add_test(fatal, frame_without_unwind_information_is_fatal);
  tcase_add_test(fatal, slot_outside_the_stack_is_fatal);
  suite_add_tcase(suite, fatal);
}

/* Only fast walks learn. */
static void add_learning_test(Suite *suite) {
  TCase *learning = tcase_create("learning");
  tcase_add_checked_fixture(learning, register_maps, unregister_maps);
  tcase_add_test(learning, threads_learn_a_frame_at_the_same_time);
  suite_add_tcase(suite, learning);
}

int main(void) {
  Suite *suite = suite_create("walk");
  add_tests(suite, "fast", walk_fast);
  add_learning_test(suite);
  add_tests(suite, "unwind", walk_by_unwinding);
  add_tests(suite, "differential", walk_both_ways);
  return suite_run(suite);
}
