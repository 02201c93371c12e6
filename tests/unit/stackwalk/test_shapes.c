/* Random chains of frames of every shape, walked both ways. */
#include "spgc/stackmap.h"
#include "stackwalk/frame_table.h"
#include "support/fatal.h"
#include "tests/support/preserved_registers.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"
#include "tests/support/toy_heap.h"

enum { CHAINS = 300, LONGEST = 80, REFERENCES = 7 };

extern void *const shape_functions[];
extern const uint32_t shape_words[], shape_count;
extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

typedef uint64_t shape(struct spgc_ref object, uint64_t depth, void *const *table);

/* A C frame between managed frames, which saves registers. */
uint64_t call_through_c(shape *callee, struct spgc_ref object, uint64_t depth, void *const *table);
uint64_t call_through_c(shape *callee, struct spgc_ref object, uint64_t depth, void *const *table) {
  uint64_t result = callee(object, depth, table);
  __asm__ volatile("" : "+r"(result)::PRESERVED_REGISTERS_LISTED);
  return result;
}

static struct spgc_stackmap *map;

static void register_maps(void) {
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  ck_assert_int_eq(spgc_stackmap_register(__start_test_stackmaps, size, &map, NULL), SPGC_OK);
}

static void unregister_maps(void) {
  spgc_stackmap_unregister(map);
}

static uint64_t value_of_word(unsigned word) {
  return UINT64_C(1) << (2 * word);
}

static struct spgc_ref new_family(void) {
  struct spgc_ref object = toy_new(1);
  for (unsigned word = 1; word <= REFERENCES; word++)
    toy_set_reference(object, word, toy_new(value_of_word(16 + word)));
  for (unsigned word = REFERENCES + 1; word < TOY_WORDS; word++)
    toy_set_word(object, word, value_of_word(word));
  return object;
}

static uint64_t contribution(uint32_t words) {
  uint64_t sum = 0;
  for (unsigned bit = 0; bit < 32; bit++)
    sum += words >> bit & 1 ? value_of_word(bit) : 0;
  return sum;
}

/* From table[length - 1] down to table[0]. */
static void run_chain(struct random *random) {
  void *table[LONGEST + 1];
  uint64_t length = 1 + random_below(random, LONGEST), expected = 1;
  for (uint64_t i = 0; i <= length; i++) {
    uint64_t chosen = random_below(random, shape_count);
    table[i] = shape_functions[chosen];
    expected += i > 0 ? contribution(shape_words[chosen]) : 0;
  }
  toy_heap_reset(__builtin_frame_address(0));
  shape *outermost = (shape *)table[length];
  ck_assert_uint_eq(outermost(new_family(), length, table), expected);
  ck_assert_uint_ge(toy_statistics.walks.managed_frames, length + 1);
  ck_assert_uint_eq(toy_statistics.collections, 1);
}

static void run_chains(enum spgc_walk walk, uint64_t chains) {
  struct random random = random_start("shapes");
  spgc_walk_select(walk);
  for (uint64_t i = 0; i < chains; i++)
    run_chain(&random);
}

START_TEST(both_ways_agree_on_every_frame) {
  run_chains(SPGC_WALK_DIFFERENTIAL, CHAINS);
}
END_TEST

START_TEST(fast_walks_find_every_root) {
  run_chains(SPGC_WALK_FAST, CHAINS);
}
END_TEST

START_TEST(unwinding_finds_every_root) {
  run_chains(SPGC_WALK_UNWIND, CHAINS / 3);
}
END_TEST

struct unwind_plan_counts {
  unsigned known, none, described;
};

static bool count_unwind_plan(void *context, const struct spgc_frame *frame) {
  struct unwind_plan_counts *counts = context;
  const struct frame_entry *entry =
      frame_table_find((struct return_address){frame->return_address});
  spgc_require(entry != NULL, "a managed frame without an entry");
  counts->known += unwind_plan_kind(frame_entry_unwind_plan(entry)) == UNWIND_PLAN_KNOWN;
  counts->none += unwind_plan_kind(frame_entry_unwind_plan(entry)) == UNWIND_PLAN_NONE;
  counts->described += frame_entry_is_described(entry);
  return true;
}

static void *base;
static struct unwind_plan_counts unwind_plans;

static void count_unwind_plans(void) {
  struct spgc_stack_visitor visitor = {.context = &unwind_plans, .frame = count_unwind_plan};
  spgc_walk_stack(base, &visitor, NULL);
}

/* Unwind plans must alternate with libunwind, and entries with descriptions. */
START_TEST(chains_mix_frames_with_and_without_unwind_plans) {
  run_chains(SPGC_WALK_FAST, CHAINS);
  base = __builtin_frame_address(0);
  toy_on_collect = count_unwind_plans;
  for (uint32_t i = 0; i < shape_count; i++) {
    void *table[] = {shape_functions[0], shape_functions[i]};
    toy_heap_reset(base);
    ((shape *)table[1])(new_family(), 1, table);
  }
  ck_assert_uint_gt(unwind_plans.known, shape_count / 3);
  ck_assert_uint_gt(unwind_plans.none, shape_count / 10);
  ck_assert_uint_gt(unwind_plans.described, shape_count / 20);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("shapes");
  TCase *chains = tcase_create("chains");
  tcase_set_timeout(chains, 60);
  tcase_add_checked_fixture(chains, register_maps, unregister_maps);
  tcase_add_test(chains, both_ways_agree_on_every_frame);
  tcase_add_test(chains, fast_walks_find_every_root);
  tcase_add_test(chains, unwinding_finds_every_root);
  tcase_add_test(chains, chains_mix_frames_with_and_without_unwind_plans);
  suite_add_tcase(suite, chains);
  return suite_run(suite);
}
