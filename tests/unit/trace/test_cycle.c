/* A heap without mutators. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "check_main.h"
#include "gc/trace/cycle.h"
#include "gc/trace/worker_pool.h"
#include "heap/blocks.h"
#include "heap/condemn.h"
#include "heap/object.h"
#include "heap/remembered/tables.h"
#include "heap/sweep.h"
#include "heap_world.h"
#include "support/collector_thread.h"

enum {
  HEAP_BYTES = 64 << 20,
  BLOCKS = 12,
  CHAINED = 8, /* blocks of one chain of pairs; the others are dead */
  PAIRS = SPGC_BLOCK_BYTES / 32,
  CHAIN_BYTES = CHAINED * SPGC_BLOCK_BYTES,
  TOUCHED_BYTES = 1024, /* for each page of mark bits of a full marking */
  REFERENCE = 2,        /* word of a pair */
  ASSIST_BLOCKS = 2     /* at the usual pace */
};

static const struct spgc_pace pace = {.work = 1,
                                      .most_final_cards = 3,
                                      .assist_work = ASSIST_BLOCKS,
                                      .final_steps = 2,
                                      .most_final_tries = 3};

static struct spgc_heap heap;
static struct spgc_cycle cycle;
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t first; /* block */

static struct spgc_ref pair_at(unsigned number) {
  return spgc_ref_from_word(spgc_heap_block_start(&heap, first) + number * world_pair.size);
}

static void fill(uint32_t index) {
  for (unsigned i = 0; i < PAIRS; i++) {
    unsigned number = (index - first) * PAIRS + i;
    uint64_t *words = spgc_ref_memory(pair_at(number));
    spgc_object_set_header(pair_at(number), (uintptr_t)&world_pair);
    words[1] = words[REFERENCE + 1] = 0;
    words[REFERENCE] = number + 1 < CHAINED * PAIRS ? pair_at(number + 1).word : 0;
  }
  heap.blocks[index].top = SPGC_BLOCK_BYTES;
}

static void open_cycle(bool concurrent) {
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  ck_assert(spgc_cycle_create(&cycle, &heap, pace, &blocks_lock, concurrent));
  for (uint32_t i = 0; i < BLOCKS; i++) {
    uint32_t index = spgc_blocks_take_nursery(&heap);
    first = i == 0 ? index : first;
    ck_assert_uint_eq(index, first + i);
    fill(index);
  }
  ck_assert_uint_eq(spgc_promote_nursery(&heap), BLOCKS * SPGC_BLOCK_BYTES);
  cycle.promoted_bytes = BLOCKS * SPGC_BLOCK_BYTES;
}

static void close_cycle(void) {
  spgc_cycle_end_thread(&cycle);
  spgc_cycle_destroy(&cycle);
  spgc_heap_destroy(&heap);
}

static void arrange(bool mutators_assist, size_t idle_blocks) {
  spgc_cycle_arrange_steps(&cycle,
                           (struct spgc_steps){.assist_pace = mutators_assist ? pace.work : 0,
                                               .idle_blocks = idle_blocks});
}

static void mark_pair(unsigned number) {
  spgc_mark(&cycle.marker.scanners[0], pair_at(number), SPGC_TRACE_SERIAL);
}

static void begin(bool partial) {
  spgc_cycle_begin(&cycle, partial);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_MARKING);
  ck_assert(cycle.marker.active);
  mark_pair(0);
  arrange(true, 0);
}

static size_t marked(void) {
  return spgc_marker_bytes(&cycle.marker);
}

/* The requested bytes, less the touched pages of bits, to a few pairs. */
static void expect_about(size_t bytes, size_t expected) {
  enum { SLACK = 2 * TOUCHED_BYTES };
  if (bytes + SLACK < expected || bytes > expected + SLACK)
    ck_abort_msg("%zu bytes, not about %zu", bytes, expected);
}

static void mark_all(void) {
  while (cycle.phase == SPGC_CYCLE_MARKING)
    spgc_cycle_assist(&cycle, ASSIST_BLOCKS, 1);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_MARKED);
}

static void sweep_all(void) {
  while (cycle.phase == SPGC_CYCLE_SWEEPING)
    spgc_cycle_assist(&cycle, ASSIST_BLOCKS, 1);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_IDLE);
}

static struct spgc_marking run_cycle(bool keeps_marks) {
  begin(false);
  mark_all();
  struct spgc_marking marking = spgc_cycle_finish_marking(&cycle, keeps_marks);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_SWEEPING);
  arrange(true, 0);
  sweep_all();
  return marking;
}

/* ---- Calls that are watched ---- */

static unsigned sweeps_by_workers, naps;
static bool lets_workers_help, discards_without_lock;

void __real_spgc_worker_pool_run_judged(struct spgc_worker_pool *pool, struct spgc_backoff *backoff,
                                        uint32_t extra_workers, spgc_worker_task task,
                                        void *context);
void __wrap_spgc_worker_pool_run_judged(struct spgc_worker_pool *pool, struct spgc_backoff *backoff,
                                        uint32_t extra_workers, spgc_worker_task task,
                                        void *context);

void __wrap_spgc_worker_pool_run_judged(struct spgc_worker_pool *pool, struct spgc_backoff *backoff,
                                        uint32_t extra_workers, spgc_worker_task task,
                                        void *context) {
  sweeps_by_workers += context == &heap;
  __real_spgc_worker_pool_run_judged(pool, backoff, extra_workers, task, context);
}

bool __real_spgc_marker_step(struct spgc_marker *marker, size_t bytes, bool with_workers);
bool __wrap_spgc_marker_step(struct spgc_marker *marker, size_t bytes, bool with_workers);

bool __wrap_spgc_marker_step(struct spgc_marker *marker, size_t bytes, bool with_workers) {
  lets_workers_help = with_workers;
  return __real_spgc_marker_step(marker, bytes, with_workers);
}

void __real_spgc_blocks_discard_idle(struct spgc_heap *discarded, uint32_t keep, uint32_t most);
void __wrap_spgc_blocks_discard_idle(struct spgc_heap *discarded, uint32_t keep, uint32_t most);

void __wrap_spgc_blocks_discard_idle(struct spgc_heap *discarded, uint32_t keep, uint32_t most) {
  if (pthread_mutex_trylock(&blocks_lock) == 0) {
    discards_without_lock = true;
    pthread_mutex_unlock(&blocks_lock);
  }
  __real_spgc_blocks_discard_idle(discarded, keep, most);
}

int __real_nanosleep(const struct timespec *duration, struct timespec *left);
int __wrap_nanosleep(const struct timespec *duration, struct timespec *left);

int __wrap_nanosleep(const struct timespec *duration, struct timespec *left) {
  naps += spgc_is_collector_thread;
  return __real_nanosleep(duration, left);
}

static _Atomic unsigned waits;

int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  waits += spgc_is_collector_thread;
  return __real_pthread_cond_wait(condition, mutex);
}

enum { CLAIM = 32 }; /* blocks */

static _Atomic unsigned odd_claims;

void __real_spgc_sweep_block(struct spgc_heap *swept, uint32_t index);
void __wrap_spgc_sweep_block(struct spgc_heap *swept, uint32_t index);

static uint32_t count_claimed(const struct spgc_heap *swept) {
  uint32_t count = 0;
  for (uint32_t i = spgc_old_first(swept); i != swept->unswept; i = spgc_old_after(swept, i))
    count++;
  return count;
}

void __wrap_spgc_sweep_block(struct spgc_heap *swept, uint32_t index) {
  pthread_mutex_lock(&swept->lock);
  odd_claims += swept->unswept != SPGC_BLOCK_NONE && count_claimed(swept) % CLAIM != 0;
  pthread_mutex_unlock(&swept->lock);
  __real_spgc_sweep_block(swept, index);
}

static _Atomic unsigned bad_unlocks;

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

/* Fails if the mutex knows its holder, which is another thread or none. */
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
  int result = __real_pthread_mutex_unlock(mutex);
  bad_unlocks += result != 0;
  return result;
}

static void let_lock_know_its_holder(pthread_mutex_t *lock) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_destroy(lock);
  ck_assert_int_eq(pthread_mutex_init(lock, &kind), 0);
  pthread_mutexattr_destroy(&kind);
}

static uint32_t count_unswept(void) {
  uint32_t count = 0;
  for (uint32_t i = spgc_old_first(&heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(&heap, i))
    count += heap.blocks[i].unswept;
  return count;
}

START_TEST(mutators_take_steps_for_blocks_that_they_owe_together) {
  open_cycle(false);
  let_lock_know_its_holder(&cycle.thread.lock);
  spgc_cycle_assist(&cycle, 100, 1); /* nothing is arranged */
  ck_assert_uint_eq(cycle.owed_blocks, 0);
  arrange(true, 0);
  ck_assert(cycle.steps.assist_pace == 0); /* idle, with nothing to do */
  begin(false);
  ck_assert(cycle.steps.assist_pace != 0);
  spgc_cycle_assist(&cycle, 1, 1);
  ck_assert_uint_eq(cycle.owed_blocks, 1);
  ck_assert_uint_eq(marked(), 0);
  spgc_cycle_assist(&cycle, 1, 1);
  ck_assert_uint_eq(cycle.owed_blocks, 0);
  expect_about(marked(), 2 * SPGC_BLOCK_BYTES);
  ck_assert(lets_workers_help); /* a mutator waits */
  spgc_cycle_assist(&cycle, 3, 1);
  expect_about(marked(), 5 * SPGC_BLOCK_BYTES);
  mark_all();
  ck_assert_uint_eq(marked(), CHAIN_BYTES);
  ck_assert(spgc_cycle_waits(&cycle));
  spgc_cycle_assist(&cycle, 100, 1); /* only a collection ends a marking */
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_MARKED);
  arrange(true, 0);
  ck_assert(cycle.steps.assist_pace == 0);
  ck_assert_uint_eq(cycle.thread.claims, 0);
  ck_assert_uint_eq(bad_unlocks, 0);
  close_cycle();
}
END_TEST

START_TEST(at_a_faster_pace_the_rest_is_left_to_later_assists) {
  open_cycle(false);
  begin(false);
  spgc_cycle_arrange_steps(&cycle, (struct spgc_steps){.assist_pace = 2});
  spgc_cycle_assist(&cycle, 4, 1); /* 8 blocks are to be marked */
  expect_about(marked(), 4 * SPGC_BLOCK_BYTES);
  ck_assert_uint_eq(cycle.owed_blocks, 2);
  spgc_cycle_assist(&cycle, 1, 1);
  expect_about(marked(), 7 * SPGC_BLOCK_BYTES);
  ck_assert_uint_eq(cycle.owed_blocks, 2);
  mark_all();
  ck_assert_uint_eq(marked(), CHAIN_BYTES);
  spgc_cycle_assist(&cycle, 1000, 1); /* nothing is left to do */
  ck_assert_uint_eq(cycle.owed_blocks, 0);
  close_cycle();
}
END_TEST

START_TEST(a_debt_is_kept_while_mutators_assist) {
  open_cycle(true); /* otherwise mutators always assist */
  begin(false);
  spgc_cycle_assist(&cycle, 1, 1);
  arrange(true, 0);
  ck_assert_uint_eq(cycle.owed_blocks, 1);
  arrange(false, 0);
  ck_assert(cycle.steps.assist_pace == 0);
  ck_assert_uint_eq(cycle.owed_blocks, 0);
  close_cycle();
}
END_TEST

START_TEST(sweeping_takes_as_many_blocks_as_the_pace_says) {
  open_cycle(false);
  begin(false);
  mark_all();
  spgc_cycle_finish_marking(&cycle, false);
  ck_assert_uint_eq(count_unswept(), CHAINED);
  arrange(false, 0);
  ck_assert(cycle.steps.assist_pace != 0);
  spgc_cycle_assist(&cycle, CHAINED - 1, 1);
  ck_assert_uint_eq(count_unswept(), 1);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_SWEEPING);
  spgc_cycle_assist(&cycle, ASSIST_BLOCKS, 1);
  ck_assert_uint_eq(count_unswept(), 0);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_IDLE);
  close_cycle();
}
END_TEST

START_TEST(a_marking_reports_what_it_found) {
  open_cycle(false);
  cycle.deferred_cards = 7;
  struct spgc_marking marking = run_cycle(true);
  ck_assert(!marking.partial);
  ck_assert_uint_eq(marking.believed_bytes, 0);
  ck_assert_uint_eq(marking.live_bytes, CHAIN_BYTES);
  ck_assert_uint_eq(marking.judged_bytes, BLOCKS * SPGC_BLOCK_BYTES);
  ck_assert_uint_eq(marking.survived_bytes, 0);
  ck_assert_uint_eq(cycle.live_bytes, CHAIN_BYTES);
  ck_assert_uint_eq(cycle.full_marking_live_bytes, CHAIN_BYTES);
  ck_assert_uint_eq(cycle.deferred_cards, 0);
  ck_assert_uint_eq(cycle.promoted_bytes, 0);
  ck_assert_uint_eq(cycle.begun_bytes, 0);
  ck_assert_uint_eq(heap.old_blocks, CHAINED);
  ck_assert(heap.keeps_marks);
  ck_assert(!cycle.marker.active);
  close_cycle();
}
END_TEST

/* It finds the objects in new blocks, and counts those of the last marking. */
START_TEST(a_partial_marking_tells_new_survivors_apart) {
  open_cycle(false);
  run_cycle(true);
  uint32_t index = spgc_blocks_take_nursery(&heap);
  unsigned number = (index - first) * PAIRS;
  fill(index);
  spgc_promote_nursery(&heap);
  cycle.promoted_bytes = SPGC_BLOCK_BYTES;
  cycle.final_mark_tries = 1;
  begin(true);
  ck_assert_uint_eq(cycle.begun_bytes, SPGC_BLOCK_BYTES);
  ck_assert_uint_eq(cycle.final_mark_tries, 0);
  ck_assert(cycle.marker.partial);
  mark_pair(number);
  struct spgc_marking marking = spgc_cycle_finish_marking(&cycle, true);
  ck_assert(marking.partial);
  ck_assert_uint_eq(marking.believed_bytes, CHAIN_BYTES);
  ck_assert_uint_eq(marking.live_bytes, CHAIN_BYTES + marking.survived_bytes);
  ck_assert_uint_eq(marking.judged_bytes, SPGC_BLOCK_BYTES);
  ck_assert_uint_ge(marking.survived_bytes, world_pair.size);
  ck_assert_uint_eq(cycle.live_bytes, marking.live_bytes);
  ck_assert_uint_eq(cycle.full_marking_live_bytes, CHAIN_BYTES);
  close_cycle();
}
END_TEST

static void dirty(unsigned cards) {
  for (unsigned i = 0; i < cards; i++) {
    uintptr_t address = pair_at(0).word + i * SPGC_CARD_BYTES;
    *spgc_card_of(&heap, address) = SPGC_CARD_DIRTY;
    heap.group_cards[(address - heap.base) >> SPGC_GROUP_CARD_SHIFT] = SPGC_CARD_DIRTY;
  }
}

/* With more cards it continues, as often as the pace says. */
START_TEST(a_collection_that_defers_cards_ends_a_marking_if_they_are_few) {
  open_cycle(false);
  begin(false);
  dirty(1);
  ck_assert_int_eq(spgc_cycle_defer_cards(&cycle), SPGC_MARKING_GOES_ON); /* it is not MARKED */
  ck_assert_uint_eq(cycle.final_mark_tries, 0);
  ck_assert_int_eq(*spgc_card_of(&heap, pair_at(0).word), SPGC_CARD_DEFERRED);
  mark_all();
  ck_assert_int_eq(*spgc_card_of(&heap, pair_at(0).word), SPGC_CARD_CLEAN);
  for (uint32_t try = 1; try < pace.most_final_tries; try++) {
    dirty((unsigned)pace.most_final_cards + 1);
    ck_assert_int_eq(spgc_cycle_defer_cards(&cycle), SPGC_MARKING_GOES_ON);
    ck_assert_uint_eq(cycle.final_mark_tries, try);
    ck_assert_int_eq(cycle.phase, SPGC_CYCLE_MARKING);
    mark_all();
  }
  dirty((unsigned)pace.most_final_cards);
  ck_assert_int_eq(spgc_cycle_defer_cards(&cycle), SPGC_MARKING_ENDS);
  ck_assert_uint_eq(cycle.final_mark_tries, pace.most_final_tries - 1);
  dirty((unsigned)pace.most_final_cards + 1);
  ck_assert_int_eq(spgc_cycle_defer_cards(&cycle), SPGC_MARKING_ENDS);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_MARKED);
  ck_assert_uint_eq(cycle.deferred_cards, 0);
  close_cycle();
}
END_TEST

static void hang_a_chain_on_the_first_card(void) {
  uint64_t *words = spgc_ref_memory(pair_at(0));
  words[REFERENCE] = pair_at(CHAINED * PAIRS).word;
  for (unsigned i = CHAINED * PAIRS; i + 1 < BLOCKS * PAIRS; i++)
    ((uint64_t *)spgc_ref_memory(pair_at(i)))[REFERENCE] = pair_at(i + 1).word;
}

/* Otherwise many dirty cards would leave no time to mark. */
START_TEST(a_step_marks_as_much_as_without_the_cards_that_it_reads) {
  enum { STEP_BYTES = SPGC_BLOCK_BYTES + SPGC_BLOCK_BYTES / 2 }; /* more than a block's cards */
  open_cycle(false);
  begin(false);
  mark_all();
  hang_a_chain_on_the_first_card();
  dirty(SPGC_BLOCK_BYTES / SPGC_CARD_BYTES);
  ck_assert_int_eq(spgc_cycle_defer_cards(&cycle), SPGC_MARKING_GOES_ON);
  size_t before = marked();
  ck_assert(spgc_marker_step(&cycle.marker, STEP_BYTES, false));
  expect_about(marked() - before, STEP_BYTES);
  close_cycle();
}
END_TEST

/* They wait for the next partial marking, if there can be one. */
START_TEST(cards_without_a_marking_are_deferred_where_marks_are_kept) {
  open_cycle(false);
  dirty(2);
  ck_assert(!spgc_cycle_leaves_cards(&cycle, false));
  ck_assert_int_eq(spgc_cycle_defer_cards(&cycle), SPGC_MARKING_GOES_ON);
  ck_assert_int_eq(*spgc_card_of(&heap, pair_at(0).word), SPGC_CARD_CLEAN);
  ck_assert_uint_eq(cycle.deferred_cards, 2);
  run_cycle(true);
  dirty(3);
  ck_assert(spgc_cycle_leaves_cards(&cycle, false));
  ck_assert_int_eq(spgc_cycle_defer_cards(&cycle), SPGC_MARKING_GOES_ON);
  ck_assert_int_eq(*spgc_card_of(&heap, pair_at(0).word), SPGC_CARD_DEFERRED);
  ck_assert_uint_eq(cycle.deferred_cards, 3);
  close_cycle();
}
END_TEST

START_TEST(cards_are_left_to_a_marking_that_goes_on) {
  open_cycle(false);
  begin(false);
  ck_assert(!spgc_cycle_leaves_cards(&cycle, true));
  mark_all();
  ck_assert(!spgc_cycle_leaves_cards(&cycle, false));
  spgc_cycle_settle(&cycle);
  begin(false);
  while (spgc_marker_has_cards(&cycle.marker))
    spgc_marker_step(&cycle.marker, CHAIN_BYTES, false);
  ck_assert(spgc_cycle_leaves_cards(&cycle, false));
  ck_assert(spgc_marker_has_cards(&cycle.marker));
  ck_assert(cycle.marker.marks_from_cards);
  close_cycle();
}
END_TEST

/* It takes at least one step, and none after the deadline. */
START_TEST(a_final_mark_gives_up_after_its_steps_or_its_deadline) {
  open_cycle(false);
  begin(false);
  size_t before = marked();
  cycle.phase = SPGC_CYCLE_MARKED;
  ck_assert_int_eq(spgc_cycle_try_to_finish(&cycle, 0), SPGC_MARKING_GOES_ON);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_MARKING);
  expect_about(marked() - before, pace.work * SPGC_BLOCK_BYTES);
  ck_assert(!lets_workers_help);
  ck_assert_uint_eq(cycle.final_mark_tries, 1);
  before = marked();
  ck_assert_int_eq(spgc_cycle_try_to_finish(&cycle, UINT64_MAX), SPGC_MARKING_GOES_ON);
  expect_about(marked() - before, pace.final_steps * pace.work * SPGC_BLOCK_BYTES);
  ck_assert_uint_eq(cycle.final_mark_tries, 2);
  cycle.phase = SPGC_CYCLE_MARKED;
  ck_assert_int_eq(spgc_cycle_try_to_finish(&cycle, 0), SPGC_MARKING_ENDS); /* the last try */
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_MARKED);
  cycle.final_mark_tries = 0;
  while (spgc_marker_step(&cycle.marker, CHAIN_BYTES, false))
    continue;
  ck_assert_int_eq(spgc_cycle_try_to_finish(&cycle, 0), SPGC_MARKING_ENDS);
  ck_assert_uint_eq(cycle.final_mark_tries, 0);
  close_cycle();
}
END_TEST

/* After a cycle, dead blocks are resident. */
START_TEST(idle_blocks_are_decommitted_in_steps) {
  open_cycle(false);
  run_cycle(false);
  size_t resident = spgc_blocks_resident(&heap);
  ck_assert_uint_ge(resident, BLOCKS - CHAINED);
  arrange(false, 3);
  ck_assert(cycle.steps.assist_pace != 0);
  spgc_cycle_assist(&cycle, ASSIST_BLOCKS, 1);
  ck_assert_uint_eq(cycle.steps.idle_blocks, 1);
  spgc_cycle_assist(&cycle, ASSIST_BLOCKS, 1);
  ck_assert_uint_eq(cycle.steps.idle_blocks, 0);
  ck_assert_uint_eq(spgc_blocks_resident(&heap), resident - 3);
  begin(false);
  mark_all();
  arrange(false, 1);
  spgc_cycle_assist(&cycle, ASSIST_BLOCKS, 1);
  ck_assert_uint_eq(spgc_blocks_resident(&heap), resident - 4);
  ck_assert(!discards_without_lock);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_MARKED);
  ck_assert_int_eq(pthread_mutex_trylock(&blocks_lock), 0);
  pthread_mutex_unlock(&blocks_lock);
  close_cycle();
}
END_TEST

START_TEST(a_cycle_settles_in_any_phase) {
  open_cycle(false);
  spgc_cycle_settle(&cycle);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_IDLE);
  begin(false);
  spgc_cycle_settle(&cycle);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_IDLE);
  ck_assert(!cycle.marker.active);
  begin(false);
  mark_all();
  spgc_cycle_finish_marking(&cycle, true);
  spgc_cycle_settle(&cycle);
  ck_assert_int_eq(cycle.phase, SPGC_CYCLE_IDLE);
  ck_assert_uint_eq(count_unswept(), 0);
  close_cycle();
}
END_TEST

/* Half of the last block's pairs die. */
START_TEST(workers_that_sweep_at_once_leave_the_same_as_one) {
  for (uint32_t extra_workers = 0; extra_workers < 2; extra_workers++) {
    struct spgc_worker_pool pool;
    spgc_worker_pool_create(&pool, extra_workers);
    open_cycle(false);
    ((uint64_t *)spgc_ref_memory(pair_at(CHAINED * PAIRS - PAIRS / 2 - 1)))[REFERENCE] = 0;
    begin(false);
    mark_all();
    heap.hole_percent = 50; /* what the last sweep found */
    spgc_cycle_finish_marking(&cycle, false);
    ck_assert_uint_eq(count_unswept(), CHAINED);
    ck_assert_uint_eq(heap.unused_bytes, SPGC_BLOCK_BYTES / 4);
    let_lock_know_its_holder(&heap.lock);
    spgc_sweep_all(&heap, &(struct spgc_parallelism){
                              .pool = &pool, .extra_workers = extra_workers, .at_once = true});
    ck_assert_uint_eq(count_unswept(), 0);
    ck_assert_uint_eq(heap.unused_bytes, SPGC_BLOCK_BYTES / 2);
    ck_assert_uint_eq(bad_unlocks, 0);
    close_cycle();
    spgc_worker_pool_destroy(&pool);
  }
}
END_TEST

START_TEST(a_worker_claims_a_few_blocks_at_once) {
  enum { MANY = 2 * CLAIM + 1 };
  struct spgc_worker_pool pool;
  spgc_worker_pool_create(&pool, 1);
  open_cycle(false);
  for (uint32_t i = BLOCKS; i < MANY; i++)
    spgc_blocks_take_nursery(&heap);
  spgc_promote_nursery(&heap);
  ck_assert_uint_eq(heap.old_blocks, MANY);
  for (uint32_t i = spgc_old_first(&heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(&heap, i)) {
    heap.blocks[i].live = SPGC_BLOCK_BYTES;
    spgc_sweep_later(&heap, i);
  }
  heap.unswept = spgc_old_first(&heap);
  odd_claims = 0;
  spgc_sweep_all(&heap, &(struct spgc_parallelism){.pool = &pool, .extra_workers = 1});
  ck_assert_uint_eq(odd_claims, 0);
  ck_assert_uint_eq(count_unswept(), 0);
  close_cycle();
  spgc_worker_pool_destroy(&pool);
}
END_TEST

/* One worker alone would claim 32 blocks. */
static const struct sweep {
  uint32_t old_blocks, extra_workers;
  bool at_once;
  unsigned by_workers;
} sweeps[] = {{32, 1, false, 0}, {33, 0, false, 0}, {33, 1, false, 1}, {33, 2, false, 1},
              {8, 1, true, 1},   {8, 0, true, 0},   {33, 0, true, 0}};

static void sweep_with(const struct sweep *sweep) {
  struct spgc_worker_pool pool;
  spgc_worker_pool_create(&pool, sweep->extra_workers);
  struct spgc_parallelism parallelism = {
      .pool = &pool, .extra_workers = sweep->extra_workers, .at_once = sweep->at_once};
  uint32_t old_blocks = heap.old_blocks;
  heap.old_blocks = sweep->old_blocks;
  sweeps_by_workers = 0;
  spgc_sweep_all(&heap, &parallelism);
  ck_assert_uint_eq(sweeps_by_workers, sweep->by_workers);
  ck_assert_uint_eq(count_unswept(), 0);
  spgc_sweep_all(&heap, &parallelism); /* nothing is left */
  ck_assert_uint_eq(sweeps_by_workers, sweep->by_workers);
  heap.old_blocks = old_blocks;
  spgc_worker_pool_destroy(&pool);
}

START_TEST(workers_sweep_if_there_is_enough_for_two) {
  for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
    open_cycle(false);
    begin(false);
    mark_all();
    spgc_cycle_finish_marking(&cycle, false);
    sweep_with(&sweeps[i]);
    close_cycle();
  }
}
END_TEST

/* Between steps, only scanner 0 has entries, of marked objects. */
static void check_entries(void) {
  const struct spgc_worklist *stack = &cycle.marker.scanners[0].stack;
  for (uint32_t i = 0; i < stack->count; i++) {
    ck_assert_uint_eq(stack->entries[i] % SPGC_WORD_BYTES, 0);
    ck_assert(spgc_mark_bit_is_set(&heap, spgc_ref_from_word(stack->entries[i])));
  }
  for (uint32_t i = 1; i < SPGC_MOST_WORKERS; i++)
    ck_assert(!spgc_scanner_has_own(&cycle.marker.scanners[i]));
}

START_TEST(workers_that_help_with_a_step_mark_no_more_and_lose_nothing) {
  enum { EXTRA = 3, STRIDE = 97, CLAIMED_BYTES = (EXTRA + 1) * 1024 };
  struct spgc_worker_pool pool;
  spgc_worker_pool_create(&pool, EXTRA);
  open_cycle(false);
  spgc_marker_engage(&cycle.marker, &(struct spgc_parallelism){
                                        .pool = &pool, .extra_workers = EXTRA, .at_once = true});
  begin(false);
  for (unsigned i = STRIDE; i < CHAINED * PAIRS; i += STRIDE)
    mark_pair(i);
  for (bool more = true; more;) {
    size_t before = marked();
    more = spgc_marker_step(&cycle.marker, SPGC_BLOCK_BYTES, true);
    if (marked() > before + SPGC_BLOCK_BYTES + CLAIMED_BYTES)
      ck_abort_msg("a step marked %zu bytes", marked() - before);
    check_entries();
  }
  ck_assert_uint_eq(marked(), CHAIN_BYTES);
  for (uint32_t i = 0; i < CHAINED; i++)
    ck_assert_uint_eq(heap.blocks[first + i].live, SPGC_BLOCK_BYTES);
  close_cycle();
  spgc_worker_pool_destroy(&pool);
}
END_TEST

static void hold_when(enum spgc_cycle_phase phase) {
  while (__atomic_load_n(&cycle.phase, __ATOMIC_RELAXED) != phase)
    sched_yield();
  spgc_cycle_hold(&cycle);
}

static void release_until_all_is_decommitted(void) {
  while (cycle.steps.idle_blocks != 0) {
    spgc_cycle_release(&cycle);
    sched_yield();
    spgc_cycle_hold(&cycle);
  }
  spgc_cycle_release(&cycle);
}

START_TEST(a_thread_takes_the_steps_while_nobody_holds_the_cycle) {
  open_cycle(true);
  spgc_cycle_hold(&cycle);
  spgc_cycle_release(&cycle);
  ck_assert(!cycle.thread.runs); /* there are no steps */
  spgc_cycle_hold(&cycle);
  begin(false);
  arrange(false, 0);
  ck_assert(cycle.steps.assist_pace == 0);
  spgc_cycle_release(&cycle);
  ck_assert(cycle.thread.runs);
  hold_when(SPGC_CYCLE_MARKED);
  ck_assert_uint_eq(marked(), CHAIN_BYTES);
  ck_assert(!lets_workers_help);
  spgc_cycle_finish_marking(&cycle, false);
  spgc_cycle_release(&cycle);
  hold_when(SPGC_CYCLE_IDLE);
  ck_assert_uint_eq(count_unswept(), 0);
  ck_assert_uint_eq(cycle.thread.claims, 1);
  size_t resident = spgc_blocks_resident(&heap);
  arrange(false, 2);
  release_until_all_is_decommitted();
  ck_assert_uint_eq(spgc_blocks_resident(&heap), resident - 2);
  spgc_cycle_end_thread(&cycle);
  ck_assert(!cycle.thread.runs);
  ck_assert_uint_eq(cycle.thread.claims, 1); /* until the cycle is destroyed */
  ck_assert_int_eq(pthread_mutex_trylock(&cycle.thread.lock), 0);
  pthread_mutex_unlock(&cycle.thread.lock);
  close_cycle();
}
END_TEST

static unsigned steps_with_lock, steps_without_lock, steps_by_collector;

static void ask_step(void *context, const struct spgc_cycle_step_event *event) {
  steps_by_collector += spgc_is_collector_thread && event->thread == 0;
  if (pthread_mutex_lock(&cycle.thread.lock) == EDEADLK) {
    steps_with_lock++;
  } else {
    steps_without_lock++;
    pthread_mutex_unlock(&cycle.thread.lock);
  }
}

/* Also after a step that lets mutators have it. A fault is explained by whose thread it is. */
START_TEST(the_thread_holds_the_lock_in_each_step) {
  enum { IDLE_BLOCKS = 3 };
  static struct spgc_listener listener = {.size = sizeof listener, .cycle_step = ask_step};
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  open_cycle(true);
  let_lock_know_its_holder(&cycle.thread.lock);
  spgc_cycle_hold(&cycle);
  begin(false);
  spgc_cycle_release(&cycle);
  hold_when(SPGC_CYCLE_MARKED);
  arrange(false, IDLE_BLOCKS);
  release_until_all_is_decommitted();
  spgc_cycle_end_thread(&cycle);
  ck_assert_uint_gt(steps_with_lock, IDLE_BLOCKS);
  ck_assert_uint_eq(steps_without_lock, 0);
  ck_assert_uint_eq(steps_by_collector, steps_with_lock);
  ck_assert_uint_eq(naps, IDLE_BLOCKS);
  close_cycle();
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

static _Atomic unsigned vain_steps;

static void count_vain_step(void *context, const struct spgc_cycle_step_event *event) {
  vain_steps += event->phase == SPGC_CYCLE_MARKED;
}

START_TEST(a_thread_without_steps_waits) {
  static struct spgc_listener listener = {.size = sizeof listener, .cycle_step = count_vain_step};
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  open_cycle(true);
  spgc_cycle_hold(&cycle);
  begin(false);
  spgc_cycle_release(&cycle);
  while (waits == 0 && vain_steps == 0)
    sched_yield();
  ck_assert_uint_eq(vain_steps, 0);
  hold_when(SPGC_CYCLE_MARKED);
  spgc_cycle_release(&cycle);
  close_cycle();
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

/* As if the cycle's thread and one that waits for it were left in the parent. */
START_TEST(a_forked_child_has_a_thread_of_its_own) {
  open_cycle(true);
  spgc_cycle_hold(&cycle);
  cycle.thread.runs = true;
  cycle.thread.claims++;
  memset(&cycle.thread.may_go_on, 1, sizeof cycle.thread.may_go_on);
  spgc_cycle_release_in_child(&cycle);
  ck_assert(!cycle.thread.runs);
  ck_assert_uint_eq(cycle.thread.claims, 0);
  spgc_cycle_hold(&cycle);
  begin(false);
  spgc_cycle_release(&cycle);
  hold_when(SPGC_CYCLE_MARKED);
  ck_assert_uint_eq(marked(), CHAIN_BYTES);
  spgc_cycle_release(&cycle);
  close_cycle();
}
END_TEST

/* Gives time to find out what does not wait for the thread. */
static void linger(void) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

static pthread_key_t of_thread;
static _Atomic bool takes_step;
static bool ends_in_step, has_ended;

static void end_slowly(void *value) {
  linger();
  has_ended = true;
}

static void step_until_the_end_is_due(void *context, const struct spgc_cycle_event *event) {
  if (event->phase != SPGC_CYCLE_MARKED)
    return;
  pthread_setspecific(of_thread, &has_ended);
  takes_step = true;
  while (cycle.thread.claims == 0)
    sched_yield();
  linger();
  ends_in_step = cycle.thread.ends;
}

START_TEST(the_end_of_a_step_and_of_its_thread_is_waited_for) {
  static struct spgc_listener listener = {.size = sizeof listener,
                                          .cycle = step_until_the_end_is_due};
  ck_assert_int_eq(pthread_key_create(&of_thread, end_slowly), 0);
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  open_cycle(true);
  spgc_cycle_hold(&cycle);
  begin(false);
  spgc_cycle_release(&cycle);
  while (!takes_step)
    sched_yield();
  spgc_cycle_end_thread(&cycle);
  ck_assert(!ends_in_step);
  ck_assert(has_ended);
  close_cycle();
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

static unsigned told_steps;

static void count_step(void *context, const struct spgc_cycle_step_event *event) {
  told_steps++;
}

static struct spgc_listener step_listener = {.size = sizeof step_listener,
                                             .cycle_step = count_step};

static void listen_to_steps(void *context, const struct spgc_cycle_event *event) {
  if (event->phase == SPGC_CYCLE_MARKED)
    ck_assert_int_eq(spgc_listener_add(&step_listener, NULL), SPGC_OK);
}

START_TEST(a_step_that_began_before_there_was_a_listener_is_not_told) {
  static struct spgc_listener listener = {.size = sizeof listener, .cycle = listen_to_steps};
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  open_cycle(false);
  begin(false);
  mark_all();
  ck_assert_uint_eq(told_steps, 0);
  spgc_cycle_finish_marking(&cycle, false);
  arrange(true, 0);
  sweep_all();
  ck_assert_uint_gt(told_steps, 0);
  close_cycle();
  ck_assert_int_eq(spgc_listener_remove(&step_listener, NULL), SPGC_OK);
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}
END_TEST

static bool refuses_worklists;
bool __real_spgc_worklist_provide(struct spgc_worklist *worklist);
bool __wrap_spgc_worklist_provide(struct spgc_worklist *worklist);

bool __wrap_spgc_worklist_provide(struct spgc_worklist *worklist) {
  return !refuses_worklists && __real_spgc_worklist_provide(worklist);
}

START_TEST(a_cycle_needs_memory) {
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  refuses_worklists = true;
  ck_assert(!spgc_cycle_create(&cycle, &heap, pace, &blocks_lock, true));
  spgc_heap_destroy(&heap);
}
END_TEST

CHECK_MAIN("trace-cycle", mutators_take_steps_for_blocks_that_they_owe_together,
           at_a_faster_pace_the_rest_is_left_to_later_assists, a_debt_is_kept_while_mutators_assist,
           sweeping_takes_as_many_blocks_as_the_pace_says, a_marking_reports_what_it_found,
           a_partial_marking_tells_new_survivors_apart,
           a_collection_that_defers_cards_ends_a_marking_if_they_are_few,
           a_step_marks_as_much_as_without_the_cards_that_it_reads,
           cards_without_a_marking_are_deferred_where_marks_are_kept,
           cards_are_left_to_a_marking_that_goes_on,
           a_final_mark_gives_up_after_its_steps_or_its_deadline,
           idle_blocks_are_decommitted_in_steps, a_cycle_settles_in_any_phase,
           workers_that_sweep_at_once_leave_the_same_as_one, a_worker_claims_a_few_blocks_at_once,
           workers_sweep_if_there_is_enough_for_two,
           workers_that_help_with_a_step_mark_no_more_and_lose_nothing,
           a_thread_takes_the_steps_while_nobody_holds_the_cycle,
           the_thread_holds_the_lock_in_each_step, a_thread_without_steps_waits,
           a_forked_child_has_a_thread_of_its_own,
           the_end_of_a_step_and_of_its_thread_is_waited_for,
           a_step_that_began_before_there_was_a_listener_is_not_told, a_cycle_needs_memory)
