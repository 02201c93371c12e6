/* References of every kind that LLVM documents, with LLVM's map, also in versions 1, 2 and 3 with
 * reordered records. */
#include <stdlib.h>
#include <string.h>

#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"
#include "spgc/stackwalk.h"
#include "tests/support/preserved_registers.h"
#include "tests/support/stackmap_reencode.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

uint64_t sum_through_distances(struct spgc_ref a, int64_t d1, int64_t d2, int64_t d3, int64_t d4,
                               bool never);
uint64_t sum_of_joined(struct spgc_ref a, struct spgc_ref b, bool left, uint64_t rounds);
uint64_t sum_of_table_or_object(struct spgc_ref object, uint64_t index, bool constant);
uint64_t sum_in_registers(struct spgc_ref a, struct spgc_ref b, struct spgc_ref c, uint64_t frames,
                          bool never);
uint64_t call_with_transition(struct spgc_ref a);
uint64_t call_among_intrinsics(struct spgc_ref a, uint64_t n);
uint64_t call_with_thirty(struct spgc_ref a, struct spgc_ref b, struct spgc_ref c);
uint64_t sum_with_frame_pointer(struct spgc_ref a, struct spgc_ref b);
uint64_t sum_without_frame_pointer(struct spgc_ref a, struct spgc_ref b);
uint64_t sum_of_stack_object(struct spgc_ref a, struct spgc_ref b);
uint64_t keep_pooled_base(struct spgc_ref a, uint64_t index);
uint64_t sum_without_relocation(struct spgc_ref a, struct spgc_ref b);
uint64_t sum_with_deopt_roots(struct spgc_ref a, struct spgc_ref b);
uint64_t call_beside_lost_state(struct spgc_ref a, uint64_t number);
uint64_t sum_beside_deopt_state(struct spgc_ref a, struct spgc_ref b, uint64_t number, double real,
                                uint8_t byte);
extern const uint64_t stack_descriptor;

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

static struct spgc_stackmap *live;
static struct stackmap_reencoded reencoded;
static void *walk_base;

static size_t section_size(void) {
  return (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
}

static void start_heap(void *base) {
  walk_base = base;
  toy_heap_reset(base);
}

static void register_as_written(void) {
  struct spgc_error error;
  enum spgc_result result =
      spgc_stackmap_register(__start_test_stackmaps, section_size(), &live, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
}

static void register_version(uint8_t version) {
  struct spgc_error error;
  stackmap_reencode(__start_test_stackmaps, section_size(), version, &reencoded);
  enum spgc_result result =
      spgc_stackmap_register_v1(reencoded.section.bytes, reencoded.section.size,
                                stackmap_reencoded_owner, &reencoded, &live, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
}

_Static_assert(SPGC_STACKMAP_VERSION_MIN == 1 && SPGC_STACKMAP_VERSION_MAX == 3,
               "every version that is read is tested");

static void register_version_1(void) {
  register_version(1);
}

static void register_version_2(void) {
  register_version(2);
}

static void register_version_3(void) {
  register_version(3);
}

static void unregister(void) {
  spgc_stackmap_unregister(live);
  stackmap_reencoded_free(&reencoded);
}

static struct spgc_ref counted_object(uint64_t first) {
  struct spgc_ref object = toy_new(0);
  for (unsigned i = 0; i < TOY_WORDS; i++)
    toy_set_word(object, i, first + i);
  return object;
}

/* Inside, before, beyond, and in another object, which moves differently. */
START_TEST(derived_pointers_keep_their_distance_from_a_base_dead_otherwise) {
  start_heap(__builtin_frame_address(0));
  struct spgc_ref a = counted_object(100), other = counted_object(5000);
  int64_t elsewhere = (int64_t)(other.word - a.word) + 16;
  uint64_t sum = sum_through_distances(a, 40, -4096, 1 << 20, elsewhere, false);
  ck_assert_uint_eq(sum, 100 + 101 + 102 + 103);
  ck_assert_uint_eq(toy_statistics.collections, 2);
  ck_assert_uint_eq(toy_statistics.derived_pairs, 8);
  ck_assert_uint_eq(toy_statistics.moved_roots, 2);
}
END_TEST

static uint64_t expected_of_joined(const uint64_t *a, const uint64_t *b, bool left,
                                   uint64_t rounds) {
  const uint64_t *current = left ? a + 2 : b + 3;
  uint64_t sum = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    sum += *current;
    current = round % 2 == 1 ? b + round : current + 1;
  }
  return sum;
}

START_TEST(made_base_phis_and_selects_follow_their_objects) {
  uint64_t a[TOY_WORDS], b[TOY_WORDS];
  for (unsigned i = 0; i < TOY_WORDS; i++) {
    a[i] = 100 + i;
    b[i] = 7000 + i * 10;
  }
  for (int left = 0; left < 2; left++)
    for (uint64_t rounds = 1; rounds < TOY_WORDS; rounds++) {
      start_heap(__builtin_frame_address(0));
      struct spgc_ref first = counted_object(100), second = toy_new(0);
      for (unsigned i = 0; i < TOY_WORDS; i++)
        toy_set_word(second, i, b[i]);
      ck_assert_uint_eq(sum_of_joined(first, second, left, rounds),
                        expected_of_joined(a, b, left, rounds));
      ck_assert_uint_eq(toy_statistics.collections, rounds);
      ck_assert_uint_eq(toy_statistics.derived_pairs, rounds);
    }
}
END_TEST

START_TEST(pointers_into_constants_stay_while_objects_move) {
  static const uint64_t table[] = {7, 70, 700, 7000};
  for (uint64_t index = 0; index < 4; index++) {
    start_heap(__builtin_frame_address(0));
    ck_assert_uint_eq(sum_of_table_or_object(counted_object(50), index, true), table[index]);
    ck_assert_uint_eq(toy_statistics.nulls, 2);
    start_heap(__builtin_frame_address(0));
    ck_assert_uint_eq(sum_of_table_or_object(counted_object(50), index, false), 50 + index);
    ck_assert_uint_eq(toy_statistics.moved_roots, 2);
  }
}
END_TEST

START_TEST(pooled_constants_as_bases_are_left_alone) {
  start_heap(__builtin_frame_address(0));
  ck_assert_uint_eq(keep_pooled_base(toy_new(9), 1000), 1009);
  ck_assert_uint_eq(toy_statistics.moved_roots, 1);
  ck_assert_uint_eq(toy_statistics.pairs, 1);
}
END_TEST

/* C frames that use no callee-saved register; every third saves all. */
__attribute__((noinline)) void collect_below_c_frames(uint64_t frames);
void collect_below_c_frames(uint64_t frames) {
  if (frames == 0)
    collect();
  else
    collect_below_c_frames(frames - 1);
  if (frames % 3 == 0)
    __asm__ volatile("" ::: PRESERVED_REGISTERS_LISTED);
  __asm__ volatile(""); /* the call above is no tail call */
}

START_TEST(six_registers_hold_bases_and_derived_pointers_below_c_frames) {
  for (uint64_t frames = 0; frames <= 1000; frames = 3 * frames + 1) {
    start_heap(__builtin_frame_address(0));
    struct spgc_ref a = counted_object(1), b = counted_object(20), c = counted_object(300);
    ck_assert_uint_eq(sum_in_registers(a, b, c, frames, false), (1 + 20 + 300) + (2 + 22 + 303));
    ck_assert_uint_eq(toy_statistics.walks.roots_in_registers, 3);
    ck_assert_uint_eq(toy_statistics.walks.registers_rewritten, 6);
    ck_assert_uint_eq(toy_statistics.derived_pairs, 3);
    ck_assert_uint_gt(toy_statistics.walks.frames, frames);
  }
}
END_TEST

static uint64_t flags_seen;

static bool note_flags(void *context, const struct spgc_frame *frame) {
  flags_seen = frame->statepoint_flags;
  return true;
}

#if defined(__x86_64__)
static void walk_for_flags(void) {
  struct spgc_stack_visitor visitor = {.frame = note_flags};
  spgc_walk_stack(walk_base, &visitor, NULL);
}

START_TEST(transitions_are_flagged_and_collected_in) {
  start_heap(__builtin_frame_address(0));
  ck_assert_uint_eq(call_with_transition(toy_new(8)), 8);
  ck_assert_uint_eq(toy_statistics.moved_roots, 1);
  toy_on_collect = walk_for_flags;
  call_with_transition(toy_new(8));
  toy_on_collect = NULL;
  ck_assert_uint_eq(flags_seen, SPGC_STATEPOINT_GC_TRANSITION);
}
END_TEST
#endif

/* The stackmap after the first call has its return address. */
START_TEST(records_of_other_intrinsics_are_no_return_addresses) {
  start_heap(__builtin_frame_address(0));
  ck_assert_uint_eq(call_among_intrinsics(toy_new(6), 4), 6);
  ck_assert_uint_eq(toy_statistics.collections, 2);
  ck_assert_uint_eq(toy_statistics.moved_roots, 2);
}
END_TEST

START_TEST(thirty_parameters_with_references_on_the_stack) {
  start_heap(__builtin_frame_address(0));
  ck_assert_uint_eq(call_with_thirty(toy_new(1), toy_new(10), toy_new(100)), 111 + 111 + 29);
  ck_assert_uint_eq(toy_statistics.moved_roots, 6);
  ck_assert_uint_eq(toy_statistics.walks.managed_frames, 2);
}
END_TEST

START_TEST(frames_with_and_without_a_frame_pointer) {
  start_heap(__builtin_frame_address(0));
  ck_assert_uint_eq(sum_with_frame_pointer(toy_new(1), toy_new(20)), 21);
  ck_assert_uint_eq(sum_without_frame_pointer(toy_new(300), toy_new(4000)), 4300);
  ck_assert_uint_eq(toy_statistics.moved_roots, 8);
}
END_TEST

/* For objects on the stack, the record has the address of the first word. */
static void move_stack_objects(void *context, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (spgc_slot_load(bases[i]).word == (uintptr_t)&stack_descriptor)
      for (uint64_t k = 1; k <= stack_descriptor; k++) {
        uintptr_t *word = &bases[i].location[k].word;
        ck_assert(toy_is_object(*word));
        *word = *(uintptr_t *)context + (k - 1) * sizeof(uintptr_t);
      }
}

static uintptr_t destination[] = {1200, 34};

static void move_out_of_stack_objects(void) {
  uintptr_t to = (uintptr_t)destination;
  struct spgc_stack_visitor visitor = {.context = &to, .bases = move_stack_objects};
  spgc_walk_stack(walk_base, &visitor, NULL);
}

START_TEST(objects_on_the_stack_are_found_by_their_address) {
  start_heap(__builtin_frame_address(0));
  toy_on_collect = move_out_of_stack_objects;
  ck_assert_uint_eq(sum_of_stack_object(toy_new(1), toy_new(2)), 1234);
  toy_on_collect = NULL;
}
END_TEST

struct marking {
  uintptr_t marked[8];
  size_t count;
};

static struct marking marking;

static void mark_root(void *context, const struct spgc_frame *frame, const struct spgc_root *root) {
  struct marking *marks = context;
  uintptr_t word = spgc_slot_load(root->base).word;
  ck_assert(toy_is_object(word));
  ck_assert_uint_lt(marks->count, sizeof marks->marked / sizeof *marks->marked);
  marks->marked[marks->count++] = word;
}

static void mark_stack(void) {
  struct spgc_stack_visitor visitor = {.context = &marking, .root = mark_root};
  struct spgc_walk_counts counts;
  spgc_walk_stack(walk_base, &visitor, &counts);
  ck_assert_uint_eq(counts.registers_rewritten, 0);
}

static bool is_marked(struct spgc_ref object) {
  for (size_t i = 0; i < marking.count; i++)
    if (marking.marked[i] == object.word)
      return true;
  return false;
}

START_TEST(a_collector_that_does_not_move_is_told_the_roots) {
  uint64_t (*const sums[])(struct spgc_ref, struct spgc_ref) = {
      sum_without_relocation, sum_with_deopt_roots, sum_with_frame_pointer};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
    start_heap(__builtin_frame_address(0));
    toy_on_collect = mark_stack;
    memset(&marking, 0, sizeof marking);
    struct spgc_ref a = toy_new(40), b = toy_new(2);
    ck_assert_uint_eq(sums[i](a, b), 42);
    ck_assert(is_marked(a) && is_marked(b));
    toy_on_collect = NULL;
  }
}
END_TEST

/* As the last walk saw it. */
enum { DEOPT_VALUES = 9 };
static struct spgc_deopt_value deopt_seen[DEOPT_VALUES];
static uint32_t deopt_count;

static void note_deopt(void *context, const struct spgc_frame *frame,
                       const struct spgc_deopt_value *value) {
  ck_assert_uint_eq(value->index, deopt_count);
  ck_assert_uint_eq(value->count, DEOPT_VALUES);
  uint64_t stored = 0;
  if (value->kind == SPGC_DEOPT_STORED) {
    memcpy(&stored, value->place, value->size < sizeof stored ? value->size : sizeof stored);
    ck_assert_uint_eq(value->word, stored);
  } else {
    ck_assert_ptr_null(value->place);
  }
  deopt_seen[deopt_count++] = *value;
}

static uint64_t first_word(const struct spgc_deopt_value *value) {
  ck_assert_int_eq(value->kind, SPGC_DEOPT_STORED);
  ck_assert(toy_is_object(value->word));
  return *(const uint64_t *)(uintptr_t)value->word;
}

static void move_then_read_deopt_state(void) {
  struct spgc_stack_visitor visitor = {.deopt = note_deopt};
  struct spgc_walk_counts counts;
  void (*self)(void) = toy_on_collect;
  toy_on_collect = NULL;
  collect();
  toy_on_collect = self;
  deopt_count = 0;
  spgc_walk_stack(walk_base, &visitor, &counts);
  ck_assert_uint_eq(counts.managed_frames, 1);
  ck_assert_uint_eq(deopt_count, DEOPT_VALUES);
  ck_assert_uint_eq(first_word(&deopt_seen[1]), 1000);
  ck_assert_uint_eq(first_word(&deopt_seen[2]), 20);
}

/* Operands 0 to 8: a small constant, two references, one of them only here, a word, a double, a
 * byte, a constant of more than 32 bits, a negative one, an alloca's address. */
START_TEST(deopt_state_is_read_while_objects_move) {
  static const enum spgc_deopt_kind constant = SPGC_DEOPT_CONSTANT;
  start_heap(__builtin_frame_address(0));
  toy_on_collect = move_then_read_deopt_state;
  double real = 2.5;
  uint64_t real_bits;
  memcpy(&real_bits, &real, sizeof real_bits);
  ck_assert_uint_eq(sum_beside_deopt_state(toy_new(1000), toy_new(20), 345, real, 200),
                    1000 + 345 + 2 + 200 + 6);
  toy_on_collect = NULL;
  ck_assert_uint_eq(toy_statistics.collections, 2);
  ck_assert_uint_eq(toy_statistics.moved_roots, 4);
  ck_assert(deopt_seen[0].kind == constant && deopt_seen[0].word == 5);
  ck_assert(deopt_seen[3].kind == SPGC_DEOPT_STORED && deopt_seen[3].word == 345);
  ck_assert(deopt_seen[4].kind == SPGC_DEOPT_STORED && deopt_seen[4].word == real_bits);
  ck_assert(deopt_seen[5].kind == SPGC_DEOPT_STORED && (uint8_t)deopt_seen[5].word == 200);
  ck_assert(deopt_seen[6].kind == constant && deopt_seen[6].word == UINT64_C(99999999999));
  ck_assert(deopt_seen[7].kind == constant && deopt_seen[7].word == (uint64_t)-3);
  ck_assert(deopt_seen[8].kind == SPGC_DEOPT_ADDRESS);
  ck_assert(deopt_seen[8].word % 8 == 0 && deopt_seen[8].word < (uintptr_t)walk_base);
}
END_TEST

/* `deopt` sees the values that `bases` has stored. */
static void store_destinations(void *context, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++)
    bases[i].location->word = *(uintptr_t *)context;
}

static void see_destination(void *context, const struct spgc_frame *frame,
                            const struct spgc_deopt_value *value) {
  if (value->index == 1 || value->index == 2)
    ck_assert_uint_eq(value->word, *(uintptr_t *)context);
  deopt_count++;
}

static void move_and_read_deopt_state(void) {
  static uint64_t object[TOY_WORDS];
  uintptr_t to = (uintptr_t)object;
  struct spgc_stack_visitor visitor = {
      .context = &to, .bases = store_destinations, .deopt = see_destination};
  spgc_walk_stack(walk_base, &visitor, NULL);
}

START_TEST(deopt_state_is_shown_after_the_frame_was_moved) {
  start_heap(__builtin_frame_address(0));
  toy_on_collect = move_and_read_deopt_state;
  deopt_count = 0;
  ck_assert_uint_eq(sum_beside_deopt_state(toy_new(1000), toy_new(20), 345, 2.5, 200),
                    345 + 2 + 200 + 6);
  toy_on_collect = NULL;
  ck_assert_uint_eq(deopt_count, 2 * DEOPT_VALUES);
}
END_TEST

static struct spgc_deopt_value lost;

static void note_lost(void *context, const struct spgc_frame *frame,
                      const struct spgc_deopt_value *value) {
  lost = *value;
}

static void walk_for_lost_state(void) {
  struct spgc_stack_visitor visitor = {.frame = note_flags, .deopt = note_lost};
  spgc_walk_stack(walk_base, &visitor, NULL);
}

START_TEST(deopt_state_in_a_register_that_the_call_changes_is_lost) {
  start_heap(__builtin_frame_address(0));
  toy_on_collect = walk_for_lost_state;
  ck_assert_uint_eq(call_beside_lost_state(toy_new(8), 77), 8);
  toy_on_collect = NULL;
  ck_assert_uint_eq(flags_seen, SPGC_STATEPOINT_DEOPT_LIVE_IN);
  ck_assert_uint_eq(lost.count, 1);
  ck_assert_int_eq(lost.kind, SPGC_DEOPT_LOST);
  ck_assert_uint_eq(lost.word, 0);
  ck_assert_ptr_null(lost.place);
}
END_TEST

static void add_tests(Suite *suite, const char *name, void (*set_up)(void)) {
  TCase *tests = tcase_create(name);
  tcase_add_checked_fixture(tests, set_up, unregister);
  tcase_add_test(tests, derived_pointers_keep_their_distance_from_a_base_dead_otherwise);
  tcase_add_test(tests, made_base_phis_and_selects_follow_their_objects);
  tcase_add_test(tests, pointers_into_constants_stay_while_objects_move);
  tcase_add_test(tests, pooled_constants_as_bases_are_left_alone);
  tcase_add_test(tests, six_registers_hold_bases_and_derived_pointers_below_c_frames);
#if defined(__x86_64__)
  tcase_add_test(tests, transitions_are_flagged_and_collected_in);
#endif
  tcase_add_test(tests, records_of_other_intrinsics_are_no_return_addresses);
  tcase_add_test(tests, thirty_parameters_with_references_on_the_stack);
  tcase_add_test(tests, frames_with_and_without_a_frame_pointer);
  tcase_add_test(tests, objects_on_the_stack_are_found_by_their_address);
  tcase_add_test(tests, a_collector_that_does_not_move_is_told_the_roots);
  tcase_add_test(tests, deopt_state_is_read_while_objects_move);
  tcase_add_test(tests, deopt_state_is_shown_after_the_frame_was_moved);
  tcase_add_test(tests, deopt_state_in_a_register_that_the_call_changes_is_lost);
  suite_add_tcase(suite, tests);
}

int main(void) {
  Suite *suite = suite_create("references");
  add_tests(suite, "as LLVM wrote it", register_as_written);
  add_tests(suite, "version 1", register_version_1);
  add_tests(suite, "version 2", register_version_2);
  add_tests(suite, "version 3", register_version_3);
  return suite_run(suite);
}
