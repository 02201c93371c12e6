#include <stdlib.h>

#include "check_main.h"
#include "gc/trace/shared_worklist.h"
#include "gc/trace/worker_pool.h"

enum { WORKERS = 4, ENTRIES = 1 << 18 };

/* Entry i yields 2i and 2i + 1, so every number is reached once from 1. */
struct tree {
  struct spgc_shared_worklist shared;
  struct spgc_worklist stacks[WORKERS];
  uint32_t done[ENTRIES]; /* how often; written by any worker */
  uint64_t done_by[WORKERS];
};

static struct tree tree;

static void do_entry(uint32_t worker, uintptr_t entry) {
  __atomic_fetch_add(&tree.done[entry], 1, __ATOMIC_RELAXED);
  tree.done_by[worker]++;
  for (uintptr_t child = 2 * entry; child <= 2 * entry + 1 && child < ENTRIES; child++)
    spgc_worklist_push(&tree.stacks[worker], child);
}

static void work(void *context, uint32_t worker) {
  struct spgc_worklist *stack = &tree.stacks[worker];
  if (worker != 0 && !spgc_shared_worklist_join(&tree.shared))
    return;
  do {
    while (stack->count != 0) {
      do_entry(worker, spgc_worklist_pop(stack));
      if (spgc_shared_worklist_is_wanted(&tree.shared, stack->count))
        spgc_shared_worklist_give(&tree.shared, stack);
    }
  } while (spgc_shared_worklist_take(&tree.shared, stack));
}

static void open_tree(void) {
  spgc_shared_worklist_create(&tree.shared);
  for (uint32_t worker = 0; worker < WORKERS; worker++)
    ck_assert(spgc_worklist_provide(&tree.stacks[worker]));
}

static void close_tree(void) {
  for (uint32_t worker = 0; worker < WORKERS; worker++)
    spgc_worklist_destroy(&tree.stacks[worker]);
  spgc_shared_worklist_destroy(&tree.shared);
}

static void check_done_once(uint32_t rounds) {
  for (uint32_t entry = 1; entry < ENTRIES; entry++)
    if (tree.done[entry] != rounds)
      ck_abort_msg("entry %u was done %u times in %u rounds", entry, tree.done[entry], rounds);
}

START_TEST(every_entry_is_done_once_by_any_number_of_workers) {
  enum { ROUNDS = 20 };
  struct spgc_worker_pool pool;
  spgc_worker_pool_create(&pool, WORKERS - 1);
  open_tree();
  for (uint32_t round = 1; round <= WORKERS * ROUNDS; round++) {
    spgc_shared_worklist_open(&tree.shared, 1);
    spgc_worklist_push(&tree.stacks[0], 1);
    spgc_worker_pool_run(&pool, round % WORKERS, work, NULL);
    check_done_once(round);
    for (uint32_t worker = 0; worker < WORKERS; worker++)
      ck_assert_uint_eq(tree.stacks[worker].count, 0);
  }
  close_tree();
  spgc_worker_pool_destroy(&pool);
}
END_TEST

START_TEST(one_worker_finds_the_end_alone) {
  open_tree();
  spgc_shared_worklist_open(&tree.shared, 1);
  spgc_worklist_push(&tree.stacks[0], 1);
  work(NULL, 0);
  check_done_once(1);
  ck_assert(!spgc_shared_worklist_join(&tree.shared));
  close_tree();
}
END_TEST

START_TEST(the_last_worker_that_leaves_ends_the_work_though_entries_are_left) {
  open_tree();
  spgc_shared_worklist_open(&tree.shared, 2);
  for (uintptr_t i = 1; i <= 4; i++)
    spgc_worklist_push(&tree.stacks[0], i);
  spgc_shared_worklist_give(&tree.shared, &tree.stacks[0]);
  spgc_shared_worklist_leave(&tree.shared);
  ck_assert(spgc_shared_worklist_join(&tree.shared));
  spgc_shared_worklist_leave(&tree.shared);
  spgc_shared_worklist_leave(&tree.shared);
  ck_assert(!spgc_shared_worklist_join(&tree.shared));
  ck_assert_uint_eq(tree.shared.count, 2);
  close_tree();
}
END_TEST

START_TEST(giving_takes_the_oldest_half_and_loses_nothing) {
  open_tree();
  spgc_shared_worklist_open(&tree.shared, 2);
  struct spgc_worklist *giver = &tree.stacks[0], *taker = &tree.stacks[1];
  for (uintptr_t i = 1; i <= 9; i++)
    spgc_worklist_push(giver, i);
  spgc_shared_worklist_give(&tree.shared, giver);
  ck_assert_uint_eq(giver->count, 5);
  uintptr_t kept = 0;
  while (giver->count != 0)
    kept += spgc_worklist_pop(giver);
  ck_assert_uint_eq(kept, 5 + 6 + 7 + 8 + 9);
  uintptr_t given = 0;
  for (int taken = 0; taken < 4;) {
    ck_assert(spgc_shared_worklist_take(&tree.shared, taker));
    for (; taker->count != 0; taken++)
      given += spgc_worklist_pop(taker);
  }
  ck_assert_uint_eq(given, 1 + 2 + 3 + 4);
  close_tree();
}
END_TEST

START_TEST(entries_that_do_not_fit_stay_with_the_giver) {
  enum { ALL = 8 * SPGC_SHARED_ENTRIES };
  open_tree();
  spgc_shared_worklist_open(&tree.shared, 2);
  struct spgc_worklist *giver = &tree.stacks[0];
  uint64_t sum = 0;
  for (uintptr_t i = 1; i <= ALL; i++) {
    spgc_worklist_push(giver, i);
    sum += i;
  }
  for (int i = 0; i < 2 * SPGC_SHARED_ENTRIES / SPGC_SHARED_BATCH; i++)
    spgc_shared_worklist_give(&tree.shared, giver);
  ck_assert_uint_eq(giver->count, ALL - SPGC_SHARED_ENTRIES);
  while (giver->count != 0)
    sum -= spgc_worklist_pop(giver);
  for (int taken = 0; taken < SPGC_SHARED_ENTRIES;) {
    ck_assert(spgc_shared_worklist_take(&tree.shared, giver));
    for (; giver->count != 0; taken++)
      sum -= spgc_worklist_pop(giver);
  }
  ck_assert_uint_eq(sum, 0);
  close_tree();
}
END_TEST

CHECK_MAIN_WITHIN(60, "work-share", every_entry_is_done_once_by_any_number_of_workers,
                  one_worker_finds_the_end_alone,
                  the_last_worker_that_leaves_ends_the_work_though_entries_are_left,
                  giving_takes_the_oldest_half_and_loses_nothing,
                  entries_that_do_not_fit_stay_with_the_giver)
