#include "gc/trace/cycle.h"

#include <time.h>

#include "heap/blocks.h"
#include "heap/hole.h"
#include "heap/remembered/scan.h"
#include "heap/sweep.h"
#include "support/cancellation.h"
#include "support/clock.h"
#include "support/collector_thread.h"
#include "support/fatal.h"
#include "support/min_max.h"

/* Mutators may read it at any time. */
static void enter(struct spgc_cycle *cycle, enum spgc_cycle_phase phase) {
  __atomic_store_n(&cycle->phase, phase, __ATOMIC_RELAXED);
  SPGC_TELL(cycle, spgc_cycle_event, .phase = phase, .ns = spgc_clock_ns(),
            .partial = cycle->marker.partial);
}

static bool has_steps(const struct spgc_cycle *cycle) {
  return cycle->phase == SPGC_CYCLE_MARKING || cycle->phase == SPGC_CYCLE_SWEEPING ||
         cycle->steps.idle_blocks != 0;
}

/* Takes too long for a pause. Mutators may wait for the lock. */
static void decommit_idle(struct spgc_cycle *cycle, size_t work) {
  struct spgc_steps *steps = &cycle->steps;
  size_t step = spgc_min(steps->idle_blocks, work);
  steps->idle_blocks -= step;
  pthread_mutex_lock(cycle->blocks_lock);
  spgc_blocks_discard_idle(cycle->marker.heap, (uint32_t)steps->kept_idle, (uint32_t)step);
  pthread_mutex_unlock(cycle->blocks_lock);
}

/* `work` in blocks; `thread` is 0 for the cycle's own. */
static void take_step(struct spgc_cycle *cycle, size_t work, uint64_t thread) {
  switch (cycle->phase) {
  case SPGC_CYCLE_IDLE:
    /* Every block is swept. A minor collection begins the next marking. */
    decommit_idle(cycle, work);
    break;
  case SPGC_CYCLE_MARKING:
    /* A scanned object's child is marked, or the field is on a deferred card, or on a dirty one if
     * a mutator has stored it since. */
    /* Workers help a mutator, which waits anyway. */
    if (!spgc_marker_step(&cycle->marker, work * SPGC_BLOCK_BYTES, thread != 0))
      enter(cycle, SPGC_CYCLE_MARKED);
    break;
  case SPGC_CYCLE_MARKED:
    /* Only a collection reads dirty cards and roots, and makes the final mark or resumes the
     * marking. */
    decommit_idle(cycle, work);
    break;
  case SPGC_CYCLE_SWEEPING:
    /* A block is swept by a step, or before its objects are read or its holes are filled. */
    if (!spgc_sweep_some(cycle->marker.heap, (uint32_t)work))
      enter(cycle, SPGC_CYCLE_IDLE);
    break;
  }
}

static void take_told_step(struct spgc_cycle *cycle, size_t work, uint64_t thread) {
  enum spgc_cycle_phase phase = cycle->phase;
  uint64_t begin_ns = spgc_hears_cycle_step() ? spgc_clock_ns() : 0;
  take_step(cycle, work, thread);
  if (begin_ns != 0)
    SPGC_TELL(cycle_step, spgc_cycle_step_event, .phase = phase, .thread = thread,
              .begin_ns = begin_ns, .end_ns = spgc_clock_ns());
}

static void *run(void *context) {
  struct spgc_cycle *cycle = context;
  struct spgc_cycle_thread *thread = &cycle->thread;
  spgc_is_collector_thread = true;
  pthread_mutex_lock(&thread->lock);
  while (!thread->ends) {
    if (has_steps(cycle) && atomic_load_explicit(&thread->claims, memory_order_relaxed) == 0) {
      size_t idle_blocks = cycle->steps.idle_blocks;
      take_told_step(cycle, cycle->pace.work, 0);
      if (cycle->steps.idle_blocks == idle_blocks)
        continue;
      /* A sleeping thread gets the lock of blocks only if nobody takes it again at once. */
      enum { BREAK_NS = 1000000 };
      pthread_mutex_unlock(&thread->lock);
      nanosleep(&(struct timespec){.tv_nsec = BREAK_NS}, NULL);
      pthread_mutex_lock(&thread->lock);
    } else {
      pthread_cond_wait(&thread->may_go_on, &thread->lock);
    }
  }
  pthread_mutex_unlock(&thread->lock);
  return NULL;
}

void spgc_cycle_end_thread(struct spgc_cycle *cycle) {
  struct spgc_cycle_thread *thread = &cycle->thread;
  if (!thread->runs)
    return;
  spgc_cycle_hold(cycle);
  thread->ends = true;
  pthread_cond_signal(&thread->may_go_on);
  pthread_mutex_unlock(&thread->lock);
  pthread_join(thread->thread, NULL);
  thread->runs = false;
}

void spgc_cycle_release(struct spgc_cycle *cycle) {
  struct spgc_cycle_thread *thread = &cycle->thread;
  if (thread->wanted && has_steps(cycle)) {
    if (!thread->runs)
      thread->wanted = thread->runs =
          spgc_collector_thread_start(&thread->thread, "spgc-cycle", SPGC_SMALL_STACK_BYTES, run,
                                      cycle) == 0;
    pthread_cond_signal(&thread->may_go_on);
  }
  atomic_fetch_sub_explicit(&thread->claims, 1, memory_order_relaxed);
  pthread_mutex_unlock(&thread->lock);
}

void spgc_cycle_release_in_child(struct spgc_cycle *cycle) {
  struct spgc_cycle_thread *thread = &cycle->thread;
  thread->runs = false;
  pthread_cond_init(&thread->may_go_on, NULL);
  atomic_store_explicit(&thread->claims, 0, memory_order_relaxed);
  pthread_mutex_unlock(&thread->lock);
}

bool spgc_cycle_create(struct spgc_cycle *cycle, struct spgc_heap *heap, struct spgc_pace pace,
                       pthread_mutex_t *blocks_lock, bool concurrent) {
  *cycle = (struct spgc_cycle){.phase = SPGC_CYCLE_IDLE,
                               .pace = pace,
                               .blocks_lock = blocks_lock,
                               .thread = {.wanted = concurrent,
                                          .lock = PTHREAD_MUTEX_INITIALIZER,
                                          .may_go_on = PTHREAD_COND_INITIALIZER}};
  return spgc_marker_create(&cycle->marker, heap);
}

void spgc_cycle_destroy(struct spgc_cycle *cycle) {
  pthread_cond_destroy(&cycle->thread.may_go_on);
  pthread_mutex_destroy(&cycle->thread.lock);
  spgc_marker_destroy(&cycle->marker);
}

void spgc_cycle_assist(struct spgc_cycle *cycle, size_t blocks, uint64_t thread) {
  const struct spgc_pace *pace = &cycle->pace;
  size_t assist_pace = cycle->steps.assist_pace;
  if (assist_pace == 0 ||
      __atomic_add_fetch(&cycle->owed_blocks, blocks, __ATOMIC_RELAXED) * assist_pace <
          pace->assist_work)
    return;
  SPGC_UNCANCELLED; /* until workers have come back */
  SPGC_CYCLE_HELD(cycle);
  size_t owed = __atomic_load_n(&cycle->owed_blocks, __ATOMIC_RELAXED); /* of all mutators */
  if (!has_steps(cycle)) {
    __atomic_store_n(&cycle->owed_blocks, 0, __ATOMIC_RELAXED);
  } else if (owed * assist_pace >= pace->assist_work) {
    /* At a faster pace the rest is left to later assists: none takes long. */
    size_t work = spgc_max(pace->assist_work, owed * pace->work);
    take_told_step(cycle, work, thread);
    __atomic_sub_fetch(&cycle->owed_blocks, work / assist_pace, __ATOMIC_RELAXED);
  }
}

void spgc_cycle_arrange_steps(struct spgc_cycle *cycle, struct spgc_steps steps) {
  if (!cycle->thread.wanted)
    steps.assist_pace = spgc_max(steps.assist_pace, cycle->pace.work);
  cycle->steps = steps;
  if (!has_steps(cycle))
    cycle->steps.assist_pace = 0;
  if (cycle->steps.assist_pace == 0)
    cycle->owed_blocks = 0;
}

void spgc_cycle_begin(struct spgc_cycle *cycle, bool partial) {
  spgc_require(cycle->phase == SPGC_CYCLE_IDLE, "a cycle begins in phase %d", cycle->phase);
  spgc_marker_begin(&cycle->marker, partial);
  enter(cycle, SPGC_CYCLE_MARKING);
  cycle->final_mark_tries = 0;
  cycle->begun_bytes = cycle->promoted_bytes;
}

struct spgc_marking spgc_cycle_finish_marking(struct spgc_cycle *cycle, bool keeps_marks) {
  struct spgc_marker *marker = &cycle->marker;
  bool partial = marker->partial;
  spgc_marker_drain(marker);
  spgc_marker_end(marker, keeps_marks);
  size_t found = spgc_marker_bytes(marker);
  const struct spgc_marking marking = {.partial = partial,
                                       .believed_bytes = cycle->live_bytes,
                                       .live_bytes = found,
                                       .judged_bytes = cycle->promoted_bytes,
                                       .survived_bytes = partial ? found - cycle->live_bytes : 0};
  cycle->live_bytes = found;
  if (!partial)
    cycle->full_marking_live_bytes = found;
  cycle->deferred_cards = 0;
  cycle->promoted_bytes = cycle->begun_bytes = 0;
  spgc_sweep_begin(marker->heap);
  enter(cycle, SPGC_CYCLE_SWEEPING);
  return marking;
}

bool spgc_cycle_leaves_cards(struct spgc_cycle *cycle, bool ends_marking) {
  if (!cycle->marker.active)
    return cycle->marker.heap->keeps_marks;
  bool leaves = cycle->phase == SPGC_CYCLE_MARKING && !ends_marking;
  if (leaves)
    spgc_marker_begin_cards(&cycle->marker, true);
  return leaves;
}

enum spgc_marking_end spgc_cycle_defer_cards(struct spgc_cycle *cycle) {
  struct spgc_heap *heap = cycle->marker.heap;
  if (!cycle->marker.active) {
    cycle->deferred_cards +=
        spgc_cards_retire_all(heap, heap->keeps_marks ? SPGC_CARD_DEFERRED : SPGC_CARD_CLEAN);
    return SPGC_MARKING_GOES_ON;
  }
  spgc_marker_begin_cards(&cycle->marker, true);
  size_t cards = spgc_cards_retire_all(heap, SPGC_CARD_DEFERRED);
  if (cycle->phase == SPGC_CYCLE_MARKED &&
      (cards <= cycle->pace.most_final_cards ||
       ++cycle->final_mark_tries >= cycle->pace.most_final_tries))
    return SPGC_MARKING_ENDS;
  enter(cycle, SPGC_CYCLE_MARKING);
  return SPGC_MARKING_GOES_ON;
}

enum spgc_marking_end spgc_cycle_try_to_finish(struct spgc_cycle *cycle, uint64_t deadline_ns) {
  uint32_t steps = 0;
  do
    if (!spgc_marker_step(&cycle->marker, cycle->pace.work * SPGC_BLOCK_BYTES, false))
      return SPGC_MARKING_ENDS;
  while (++steps < cycle->pace.final_steps && spgc_clock_ns() < deadline_ns);
  if (++cycle->final_mark_tries >= cycle->pace.most_final_tries)
    return SPGC_MARKING_ENDS;
  enter(cycle, SPGC_CYCLE_MARKING);
  return SPGC_MARKING_GOES_ON;
}

enum { UNIT_BLOCKS = 32 }; /* taken at once by a worker; with fewer, others have nothing to do */

static uint32_t claim_unit(struct spgc_heap *heap, uint32_t unit[UNIT_BLOCKS]) {
  uint32_t count = 0;
  pthread_mutex_lock(&heap->lock);
  for (; count < UNIT_BLOCKS && heap->unswept != SPGC_BLOCK_NONE;
       heap->unswept = spgc_old_after(heap, heap->unswept))
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
  bool many = parallelism->at_once || heap->old_blocks > UNIT_BLOCKS;
  if (heap->unswept != SPGC_BLOCK_NONE && parallelism->extra_workers != 0 && many) {
    spgc_worker_pool_run(parallelism->pool, parallelism->extra_workers, sweep_as_worker, heap);
    spgc_recyclable_count(heap);
  } else {
    spgc_sweep_some(heap, UINT32_MAX);
  }
}

void spgc_cycle_settle(struct spgc_cycle *cycle) {
  if (cycle->marker.active)
    spgc_marker_abandon(&cycle->marker);
  spgc_sweep_all(cycle->marker.heap, &cycle->marker.parallelism);
  enter(cycle, SPGC_CYCLE_IDLE);
}
