#include "gc/trace/cycle.h"

#include "heap/card.h"
#include "heap/sweep.h"
#include "support/clock.h"
#include "support/fatal.h"

/* Mutators may read the phase at any time. */
static void enter(struct spgc_cycle *cycle, enum spgc_cycle_phase phase) {
  __atomic_store_n(&cycle->phase, phase, __ATOMIC_RELAXED);
  SPGC_TELL(cycle, spgc_cycle_event, .phase = phase, .ns = spgc_clock_ns(),
            .partial = cycle->marker.partial);
}

static bool has_steps(const void *cycle) {
  return spgc_cycle_has_steps(cycle);
}

/* Takes a step beside the program. */
static void take_told_step(struct spgc_cycle *cycle, size_t blocks, uint64_t thread) {
  enum spgc_cycle_phase phase = cycle->phase;
  uint64_t begin_ns = spgc_hears_cycle_step() ? spgc_clock_ns() : 0;
  spgc_cycle_take_step(cycle, blocks);
  if (begin_ns != 0)
    SPGC_TELL(cycle_step, spgc_cycle_step_event, .phase = phase, .thread = thread,
              .begin_ns = begin_ns, .end_ns = spgc_clock_ns());
}

static void take_step(void *cycle) {
  enum { OF_THE_COLLECTOR = 0 };
  take_told_step(cycle, 1, OF_THE_COLLECTOR);
}

bool spgc_cycle_create(struct spgc_cycle *cycle, struct spgc_heap *heap, struct spgc_pace pace,
                       bool concurrent) {
  *cycle = (struct spgc_cycle){.phase = SPGC_CYCLE_IDLE, .pace = pace};
  if (!spgc_marker_create(&cycle->marker, heap))
    return false;
  const struct spgc_cycle_work work = {has_steps, take_step, cycle};
  spgc_cycle_thread_create(&cycle->thread, concurrent, work);
  return true;
}

void spgc_cycle_end_thread(struct spgc_cycle *cycle) {
  spgc_cycle_thread_end(&cycle->thread);
}

void spgc_cycle_destroy(struct spgc_cycle *cycle) {
  spgc_cycle_thread_destroy(&cycle->thread);
  spgc_marker_destroy(&cycle->marker);
}

void spgc_cycle_hold(struct spgc_cycle *cycle) {
  spgc_cycle_thread_hold(&cycle->thread);
}

void spgc_cycle_release(struct spgc_cycle *cycle) {
  spgc_cycle_thread_release(&cycle->thread);
}

void spgc_cycle_release_in_child(struct spgc_cycle *cycle) {
  spgc_cycle_thread_release_in_child(&cycle->thread);
}

bool spgc_cycle_has_steps(const struct spgc_cycle *cycle) {
  return cycle->phase == SPGC_CYCLE_MARKING || cycle->phase == SPGC_CYCLE_SWEEPING;
}

void spgc_cycle_take_step(struct spgc_cycle *cycle, size_t blocks) {
  switch (cycle->phase) {
  case SPGC_CYCLE_MARKING:
    if (!spgc_marker_step(&cycle->marker, cycle->pace.mark_bytes * blocks * SPGC_BLOCK_BYTES))
      enter(cycle, SPGC_CYCLE_MARKED);
    break;
  case SPGC_CYCLE_SWEEPING:
    if (!spgc_sweep_some(cycle->marker.heap, cycle->pace.sweep_blocks * (uint32_t)blocks))
      enter(cycle, SPGC_CYCLE_IDLE);
    break;
  case SPGC_CYCLE_IDLE:
  case SPGC_CYCLE_MARKED: break;
  }
}

void spgc_cycle_assist(struct spgc_cycle *cycle, size_t blocks, uint64_t thread) {
  if (!cycle->mutators_assist ||
      __atomic_add_fetch(&cycle->owed_blocks, blocks, __ATOMIC_RELAXED) < cycle->pace.assist_blocks)
    return;
  size_t owed = __atomic_exchange_n(&cycle->owed_blocks, 0,
                                    __ATOMIC_RELAXED); /* of all mutators; the others go on */
  if (owed == 0)
    return;
  spgc_cycle_hold(cycle);
  if (spgc_cycle_has_steps(cycle))
    take_told_step(cycle, owed, thread);
  spgc_cycle_release(cycle);
}

void spgc_cycle_arrange_assists(struct spgc_cycle *cycle, bool lags) {
  cycle->mutators_assist = spgc_cycle_has_steps(cycle) && (lags || !cycle->thread.wanted);
}

void spgc_cycle_begin(struct spgc_cycle *cycle, bool partial) {
  spgc_require(cycle->phase == SPGC_CYCLE_IDLE, "a cycle begins in phase %d", cycle->phase);
  spgc_marker_begin(&cycle->marker, partial);
  enter(cycle, SPGC_CYCLE_MARKING);
  cycle->final_mark_tries = 0;
  cycle->begun_bytes = cycle->promoted_bytes;
}

struct spgc_marker *spgc_cycle_marker(struct spgc_cycle *cycle) {
  return cycle->marker.active ? &cycle->marker : NULL;
}

static struct spgc_marking note_live(struct spgc_cycle *cycle, size_t found) {
  bool partial = cycle->marker.partial;
  const struct spgc_marking marking = {.partial = partial,
                                       .judged_bytes = cycle->promoted_bytes,
                                       .survived_bytes = partial ? found - cycle->live_bytes : 0};
  cycle->live_bytes = found;
  if (!partial)
    cycle->full_marking_live_bytes = found;
  return marking;
}

struct spgc_marking spgc_cycle_finish_marking(struct spgc_cycle *cycle, bool keeps_marks) {
  struct spgc_marker *marker = &cycle->marker;
  spgc_marker_drain(marker);
  spgc_marker_end(marker, keeps_marks);
  const struct spgc_marking marking = note_live(cycle, spgc_marker_bytes(marker));
  cycle->deferred_cards = 0;
  cycle->promoted_bytes = cycle->begun_bytes = 0;
  spgc_sweep_begin(marker->heap);
  enter(cycle, SPGC_CYCLE_SWEEPING);
  return marking;
}

enum spgc_deferral spgc_cycle_defer_cards(struct spgc_cycle *cycle, bool begins) {
  struct spgc_heap *heap = cycle->marker.heap;
  if (!cycle->marker.active || begins) {
    cycle->deferred_cards +=
        spgc_cards_retire_all(heap, begins ? SPGC_CARD_DEFERRED : heap->card_once_read);
    return begins ? SPGC_ROOTS_ARE_NEEDED : SPGC_CARDS_DEFERRED;
  }
  size_t cards = spgc_marker_defer_cards(&cycle->marker);
  if (cycle->phase == SPGC_CYCLE_MARKED &&
      (cards <= cycle->pace.most_final_cards ||
       ++cycle->final_mark_tries >= cycle->pace.most_final_tries))
    return SPGC_ROOTS_ARE_NEEDED;
  enter(cycle, SPGC_CYCLE_MARKING);
  return SPGC_CARDS_DEFERRED;
}

enum spgc_marking_end spgc_cycle_try_to_finish(struct spgc_cycle *cycle, uint64_t deadline_ns) {
  uint32_t steps = 0;
  do
    if (!spgc_marker_step(&cycle->marker, cycle->pace.final_step_bytes))
      return SPGC_MARKING_ENDS;
  while (++steps < cycle->pace.final_steps && spgc_clock_ns() < deadline_ns);
  if (++cycle->final_mark_tries >= cycle->pace.most_final_tries)
    return SPGC_MARKING_ENDS;
  enter(cycle, SPGC_CYCLE_MARKING);
  return SPGC_MARKING_GOES_ON;
}

/* ---- Sweeping at once ---- */

enum {
  UNIT_BLOCKS = 32,   /* a worker takes so many at once */
  LEAST_BLOCKS = 512, /* other workers are called for so many */
};

static uint32_t claim_unit(struct spgc_heap *heap, uint32_t unit[UNIT_BLOCKS]) {
  uint32_t count = 0;
  pthread_mutex_lock(&heap->lock);
  for (; count < UNIT_BLOCKS && heap->unswept != SPGC_BLOCK_NONE;
       heap->unswept = heap->blocks[heap->unswept].next)
    unit[count++] = heap->unswept;
  pthread_mutex_unlock(&heap->lock);
  return count;
}

static void sweep_as_worker(void *context, uint32_t worker) {
  struct spgc_heap *heap = context;
  uint32_t unit[UNIT_BLOCKS], count;
  while ((count = claim_unit(heap, unit)) != 0)
    for (uint32_t i = 0; i < count; i++)
      spgc_sweep_block(heap, unit[i]);
}

void spgc_sweep_all(struct spgc_heap *heap, const struct spgc_parallelism *parallelism) {
  bool many = parallelism->at_once || heap->old.count >= LEAST_BLOCKS;
  if (heap->unswept != SPGC_BLOCK_NONE && parallelism->extra_workers != 0 && many)
    spgc_worker_pool_run(parallelism->pool, parallelism->extra_workers, sweep_as_worker, heap);
  else
    spgc_sweep_some(heap, UINT32_MAX);
}

void spgc_cycle_settle(struct spgc_cycle *cycle) {
  if (cycle->marker.active)
    spgc_marker_abandon(&cycle->marker);
  spgc_sweep_all(cycle->marker.heap, &cycle->marker.parallelism);
  enter(cycle, SPGC_CYCLE_IDLE);
}
