/* None of 2 to 4 threads copies into blocks that another walks. Calls are watched, and delayed so
 * that a worker walks its unit longest and others wake when every unit is claimed. */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

#include "gc/trace/evacuate.h"
#include "heap/hole.h"
#include "heap/remembered/scan.h"
#include "heap_world.h"
#include "tests/support/suite.h"
#include "worker_count.h"

static const unsigned thread_counts[] = {2, 3, 4};

enum scan { NO_SCAN, CARDS, OBJECTS };

static struct {
  enum scan scan;                           /* to watch */
  enum scan current;                        /* running */
  spgc_unit_scan scan_unit;                 /* the current scan's */
  const struct spgc_evacuation *evacuation; /* the current scan's */
  struct spgc_range walked[SPGC_MOST_WORKERS];
  struct spgc_range claimed[SPGC_MOST_WORKERS]; /* last, of single blocks */
  bool someone_waited;
  uint32_t joined[2]; /* the scan of runs, and that of single blocks */
  uint32_t late_refills;
  uint32_t scans, holes_in_walked_blocks, holes_in_foreign_units, walked_plabs;
} watch;

#define LOAD(variable) __atomic_load_n(&(variable), __ATOMIC_SEQ_CST)
#define STORE(variable, value) __atomic_store_n(&(variable), value, __ATOMIC_SEQ_CST)
#define ADD(variable) __atomic_fetch_add(&(variable), 1, __ATOMIC_SEQ_CST)

static bool is_within(uint32_t index, const struct spgc_range *blocks) {
  return index >= LOAD(blocks->first) && index < LOAD(blocks->end);
}

static bool all_units_are_claimed(void) {
  const struct spgc_evacuation *evacuation = LOAD(watch.evacuation);
  return evacuation != NULL && LOAD(evacuation->units_left) == 0;
}

/* Runs, which have no holes, are scanned first. */
static bool scans_single_blocks(void) {
  const struct spgc_evacuation *evacuation = LOAD(watch.evacuation);
  return evacuation != NULL && evacuation->walks_singles;
}

/* Whether a worker without a unit would copy into it if allowed. */
static bool is_tempting(const struct spgc_heap *heap, uint32_t index) {
  return watch.scan == CARDS && spgc_heap_space(heap, index) == SPGC_SPACE_OLD &&
         LOAD(heap->blocks[index].is_recyclable);
}

static bool has_tempting(const struct spgc_heap *heap, struct spgc_range blocks) {
  uint32_t index = blocks.first;
  while (index < blocks.end && !is_tempting(heap, index))
    index++;
  return index < blocks.end;
}

/* One worker first waits until others without a unit have copied, but only for a while, because
 * they may find nothing to do. */
static void wait_for_late_workers(const struct spgc_evacuation *evacuation,
                                  struct spgc_range blocks) {
  enum { MOST_YIELDS = 1000000, MOST_YIELDS_WHEN_CLAIMED = 20000, MANY_REFILLS = 200 };
  if (evacuation->parallelism.extra_workers < 2 || !scans_single_blocks() ||
      !has_tempting(evacuation->heap, blocks) ||
      __atomic_test_and_set(&watch.someone_waited, __ATOMIC_SEQ_CST))
    return;
  for (int i = 0; i < MOST_YIELDS && !all_units_are_claimed(); i++)
    sched_yield();
  for (int i = 0; i < MOST_YIELDS_WHEN_CLAIMED && LOAD(watch.late_refills) < MANY_REFILLS; i++)
    sched_yield();
}

static bool is_to_be_walked(const struct spgc_heap *heap, uint32_t index) {
  size_t end = spgc_first_group(index + 1);
  if (watch.scan == OBJECTS)
    return spgc_block_is_old(heap, index) && !heap->blocks[index].is_fresh;
  return spgc_dirty_groups_next(heap, spgc_first_group(index), end) != end;
}

/* They were scanned before the units were shared, or were free. So they are fresh and have no dirty
 * card. */
static void check_plabs_of_others(const struct spgc_evacuation *evacuation, uint32_t worker,
                                  struct spgc_range blocks) {
  const struct spgc_heap *heap = evacuation->heap;
  for (uint32_t other = 0; other <= evacuation->parallelism.extra_workers; other++)
    for (int i = 0; other != worker && i < SPGC_PLABS; i++) {
      uint32_t index = LOAD(heap->workers[other].plabs[i].block);
      if (is_within(index, &blocks) && is_to_be_walked(heap, index))
        ADD(watch.walked_plabs);
    }
}

static void watch_unit(struct spgc_evacuator *evacuator, struct spgc_range blocks,
                       bool in_parallel) {
  uint32_t worker = (uint32_t)(evacuator->worker - evacuator->heap->workers);
  const struct spgc_evacuation *evacuation = evacuator->evacuation;
  STORE(watch.evacuation, evacuation);
  STORE(watch.walked[worker].first, blocks.first);
  STORE(watch.walked[worker].end, blocks.end);
  if (scans_single_blocks())
    watch.claimed[worker] = blocks;
  ADD(watch.scans);
  wait_for_late_workers(evacuation, blocks);
  check_plabs_of_others(evacuation, worker, blocks);
  watch.scan_unit(evacuator, blocks, in_parallel);
  check_plabs_of_others(evacuation, worker, blocks);
  STORE(watch.walked[worker].end, 0);
}

typedef void evacuation_function(struct spgc_evacuation *evacuation);
evacuation_function __real_spgc_evacuation_drain_parallel, __wrap_spgc_evacuation_drain_parallel,
    __real_spgc_evacuation_scan_cards, __wrap_spgc_evacuation_scan_cards,
    __real_spgc_evacuation_relocate, __wrap_spgc_evacuation_relocate;

/* They start at 0, where no block is committed. */
void __wrap_spgc_evacuation_drain_parallel(struct spgc_evacuation *evacuation) {
  ck_assert_uint_gt(evacuation->heap->low_water, 0);
  if (watch.scan != NO_SCAN && watch.current == watch.scan && evacuation->scanned.first != 0) {
    watch.scan_unit = evacuation->scan_unit;
    evacuation->scan_unit = watch_unit;
  }
  __real_spgc_evacuation_drain_parallel(evacuation);
}

void __wrap_spgc_evacuation_scan_cards(struct spgc_evacuation *evacuation) {
  watch.current = CARDS;
  __real_spgc_evacuation_scan_cards(evacuation);
  watch.current = NO_SCAN;
}

void __wrap_spgc_evacuation_relocate(struct spgc_evacuation *evacuation) {
  watch.current = OBJECTS;
  __real_spgc_evacuation_relocate(evacuation);
  watch.current = NO_SCAN;
}

void __real_spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                             struct spgc_range recyclable);
void __wrap_spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                             struct spgc_range recyclable);
void __wrap_spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                             struct spgc_range recyclable) {
  uint32_t before = plab->block;
  uint32_t worker =
      (uint32_t)(((char *)plab - (char *)heap->workers) / (ptrdiff_t)sizeof *heap->workers);
  __real_spgc_plab_refill(heap, plab, bytes, recyclable);
  if (watch.scan == NO_SCAN)
    return;
  if (worker != 0 && scans_single_blocks() && recyclable.first < recyclable.end &&
      (recyclable.first < watch.claimed[worker].first ||
       recyclable.end > watch.claimed[worker].end))
    ADD(watch.holes_in_foreign_units);
  bool is_hole = plab->limit - plab->start != SPGC_BLOCK_BYTES;
  for (uint32_t other = 0; other < SPGC_MOST_WORKERS; other++)
    if (other != worker && is_hole && plab->block != before &&
        is_within(plab->block, &watch.walked[other]))
      ADD(watch.holes_in_walked_blocks);
  if (watch.claimed[worker].end == 0 && all_units_are_claimed() && scans_single_blocks())
    ADD(watch.late_refills);
}

bool __real_spgc_shared_worklist_join(struct spgc_shared_worklist *shared);
bool __wrap_spgc_shared_worklist_join(struct spgc_shared_worklist *shared);

/* All but the first to join come late. */
bool __wrap_spgc_shared_worklist_join(struct spgc_shared_worklist *shared) {
  if (watch.scan != NO_SCAN && ADD(watch.joined[scans_single_blocks()]) != 0)
    while (LOAD(watch.evacuation) != NULL && !all_units_are_claimed())
      sched_yield();
  return __real_spgc_shared_worklist_join(shared);
}

static uint64_t collect_watched(enum spgc_collection collection, enum scan scan) {
  STORE(watch.evacuation, NULL);
  watch.someone_waited = false;
  memset(watch.claimed, 0, sizeof watch.claimed);
  watch.joined[0] = watch.joined[1] = watch.late_refills = watch.scans = 0;
  watch.scan = scan;
  uint64_t moved = world_collect_moved(collection);
  watch.scan = NO_SCAN;
  ck_assert_uint_gt(watch.scans, 0);
  ck_assert_uint_eq(watch.holes_in_walked_blocks, 0);
  ck_assert_uint_eq(watch.holes_in_foreign_units, 0);
  ck_assert_uint_eq(watch.walked_plabs, 0);
  return moved;
}

/* Numbered by place. Every other run of HOLE_PAIRS dies, so all old blocks have holes and none is
 * sparse. */
enum { PAIRS = 300000, HOLE_PAIRS = 8, TREE_PAIRS = 7, ROUNDS = 3 };

static bool is_held(unsigned i) {
  return i / HOLE_PAIRS % 2 == 0;
}

enum { CHAIN_PERIOD = 20 * HOLE_PAIRS, CHAIN_TREES = 40 };

static bool has_chain(unsigned i) {
  return i % CHAIN_PERIOD == 0;
}

static struct spgc_handle new_array_over_holes(void) {
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, PAIRS));
  for (unsigned i = 0; i < PAIRS; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    ((uint64_t *)spgc_ref_memory(pair))[1] = i;
    world_set(array, 2 + i, pair);
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  for (unsigned i = 0; i < PAIRS; i++)
    if (!is_held(i))
      world_set(array, 2 + i, spgc_ref_null());
  spgc_collect(SPGC_COLLECTION_FULL);
  return array;
}

/* ---- Young trees ---- */

static struct spgc_ref new_tree(uint64_t number, struct spgc_ref next) {
  struct spgc_ref pairs[TREE_PAIRS];
  for (unsigned i = TREE_PAIRS; i-- != 0;) {
    pairs[i] = spgc_allocate(&world_pair);
    uint64_t *words = spgc_ref_memory(pairs[i]);
    words[1] = number + i;
    words[2] = 2 * i + 1 < TREE_PAIRS ? pairs[2 * i + 1].word : 0;
    words[3] = 2 * i + 2 < TREE_PAIRS ? pairs[2 * i + 2].word : 0;
  }
  ((uint64_t *)spgc_ref_memory(pairs[TREE_PAIRS - 1]))[3] = next.word;
  return pairs[0];
}

static struct spgc_ref check_tree(struct spgc_ref tree, uint64_t number) {
  struct spgc_ref pairs[TREE_PAIRS] = {tree};
  for (unsigned i = 0; i < TREE_PAIRS; i++) {
    const uint64_t *words = spgc_ref_memory(pairs[i]);
    if (words[0] != (uintptr_t)&world_pair || words[1] != number + i)
      ck_abort_msg("pair %u of tree %" PRIu64 " is not what it was", i, number);
    for (unsigned child = 1; child <= 2 && 2 * i + child < TREE_PAIRS; child++)
      pairs[2 * i + child] = spgc_ref_from_word(words[1 + child]);
  }
  return spgc_ref_from_word(((const uint64_t *)spgc_ref_memory(pairs[TREE_PAIRS - 1]))[3]);
}

static struct spgc_slot slot_of_pair(struct spgc_ref pair, unsigned word) {
  return spgc_slot_at((uint64_t *)spgc_ref_memory(pair) + word);
}

static struct spgc_slot slot_of_tree(struct spgc_handle array, unsigned i) {
  return slot_of_pair(world_get(array, 2 + i), 2);
}

/* Adds a pair below a leaf, to dirty a survivor's card. */
static void extend_tree(struct spgc_ref tree) {
  struct spgc_ref leaf = *slot_of_pair(*slot_of_pair(tree, 2).location, 2).location;
  spgc_store(slot_of_pair(leaf, 2), spgc_allocate(&world_pair));
}

static struct spgc_ref new_chain(unsigned number) {
  struct spgc_ref chain = spgc_ref_null();
  for (unsigned n = 0; n < CHAIN_TREES; n++)
    chain = new_tree(number, chain);
  return chain;
}

/* One pair in ROUNDS gets a tree; the previous round's are extended. The outer pairs also get
 * chains of trees, to share in the last unit. Returns how many pairs are young. */
static uint64_t grow_trees(struct spgc_handle array, unsigned round) {
  uint64_t pairs = 0;
  for (unsigned i = 0; i < PAIRS; i++)
    if (is_held(i) && i % ROUNDS == round) {
      spgc_store(slot_of_tree(array, i), new_tree(i, spgc_ref_null()));
      pairs += TREE_PAIRS;
    } else if (is_held(i) && i % ROUNDS + 1 == round) {
      extend_tree(*slot_of_tree(array, i).location);
      pairs++;
    } else if (is_held(i)) {
      spgc_store(slot_of_tree(array, i), spgc_ref_null());
    }
  for (unsigned i = 0; i < PAIRS; i++)
    if (has_chain(i)) {
      spgc_store(slot_of_pair(world_get(array, 2 + i), 3), new_chain(i));
      pairs += (uint64_t)CHAIN_TREES * TREE_PAIRS;
    }
  return pairs;
}

static void check_trees(struct spgc_handle array, unsigned round) {
  for (unsigned i = 0; i < PAIRS; i++)
    if (is_held(i) && i % ROUNDS == round)
      ck_assert_uint_eq(check_tree(*slot_of_tree(array, i).location, i).word, 0);
  for (unsigned i = 0; i < PAIRS; i++)
    if (has_chain(i)) {
      struct spgc_ref tree = *slot_of_pair(world_get(array, 2 + i), 3).location;
      for (unsigned n = 0; n < CHAIN_TREES; n++)
        tree = check_tree(tree, i);
      ck_assert_uint_eq(tree.word, 0);
    }
}

/* Under stress all workers take part, even if they are slower. */
static void open_with_threads(void *base, int index) {
  char options[100];
  snprintf(options, sizeof options, "limit=512m,nursery=64m,threads=%u,stress=every-1000000000",
           thread_counts[index]);
  world_open_fixed_at(base, options);
}

START_TEST(no_worker_copies_into_blocks_whose_cards_another_scans) {
  open_with_threads(__builtin_frame_address(0), _i);
  struct spgc_handle array = new_array_over_holes();
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint64_t pairs = grow_trees(array, round);
    ck_assert_uint_eq(collect_watched(SPGC_COLLECTION_MINOR, CARDS), pairs * world_pair.size);
    ck_assert_uint_eq(worker_count(), thread_counts[_i] - 1);
    world_verify();
    check_trees(array, round);
    if (round == 1)
      spgc_collect(SPGC_COLLECTION_FULL);
  }
  world_close();
}
END_TEST

/* One in SPARSE of the first half survives. Pairs of the second half refer to them. */
START_TEST(several_workers_relocate_objects_and_update_fields) {
  enum { SPARSE = 8, HALF = PAIRS / 2 };
  open_with_threads(__builtin_frame_address(0), _i);
  struct spgc_handle array = new_array_over_holes();
  for (unsigned i = 0; i < HALF; i++)
    if (i % (SPARSE * HOLE_PAIRS) >= HOLE_PAIRS)
      world_set(array, 2 + i, spgc_ref_null());
  for (unsigned i = HALF; i < PAIRS; i++)
    if (is_held(i))
      spgc_store(slot_of_tree(array, i), world_get(array, 2 + i - HALF));
  struct spgc_handle first = spgc_handle_make(world_get(array, 2)); /* copied before the scan */
  for (unsigned i = 0; i < HALF; i++)
    world_set(array, 2 + i, spgc_ref_null());
  uint64_t moved = collect_watched(SPGC_COLLECTION_FULL, OBJECTS);
  ck_assert_uint_ge(moved, HALF / SPARSE / 2 * (uint64_t)world_pair.size);
  ck_assert_uint_eq(world_get_word(first, 1), 0);
  world_verify();
  for (unsigned i = HALF; i < PAIRS; i++)
    if (is_held(i) && (i - HALF) % (SPARSE * HOLE_PAIRS) < HOLE_PAIRS &&
        ((const uint64_t *)spgc_ref_memory(*slot_of_tree(array, i).location))[1] != i - HALF)
      ck_abort_msg("what pair %u refers to is not what it was", i);
  world_close();
}
END_TEST

static Suite *suite(void) {
  Suite *suite = suite_create("shared-scan");
  TCase *tests = tcase_create("shared-scan");
  tcase_set_timeout(tests, 120);
  enum { COUNTS = sizeof thread_counts / sizeof thread_counts[0] };
  tcase_add_loop_test(tests, no_worker_copies_into_blocks_whose_cards_another_scans, 0, COUNTS);
  tcase_add_loop_test(tests, several_workers_relocate_objects_and_update_fields, 0, COUNTS);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(void) {
  return suite_run(suite());
}
