/* Evacuation: scans of old objects by several workers.
 *
 * Old objects are scanned for slots that refer to condemned ones: those on dirty cards when the
 * nursery is condemned, and all of them when sparse old blocks are. In parallel, a worker scans one
 * unit after another and pushes the slots it finds, until its stack is long. When all workers have
 * stopped, they drain their stacks; then they scan the next units. So no block is walked while
 * survivors are copied into it.
 */
#include "gc/trace/evacuate.h"
#include "heap/card_scan.h"
#include "support/clock.h"

/* ---- Parallel scans ---- */

enum {
  UNIT_BLOCKS = 64,
  UNIT_SLOTS = UNIT_BLOCKS * SPGC_BLOCK_BYTES / SPGC_WORD_BYTES, /* at most */
  LONG_WORKLIST = 1 << 17,
};

_Static_assert(LONG_WORKLIST + UNIT_SLOTS <= SPGC_WORKLIST_ENTRIES,
               "the slots of a unit fit a stack that is not long");

SPGC_INLINE void push_condemned(void *context, struct spgc_slot slot) {
  struct spgc_evacuator *evacuator = context;
  uintptr_t word = slot.location->word;
  if (spgc_heap_contains(evacuator->heap, word) && spgc_is_condemned(evacuator->heap, word))
    spgc_worklist_push(&evacuator->worker->stack, (uintptr_t)slot.location | SPGC_ENTRY_SLOT);
}

static void copy_in_parallel(struct spgc_evacuation *evacuation) {
  uint64_t begun_ns = spgc_clock_ns();
  spgc_evacuation_drain_parallel(evacuation);
  evacuation->copying_ns += spgc_clock_ns() - begun_ns;
}

/* Calls the workers to read all blocks. The stack of worker 0 must be empty before. Entries from
 * the roots lie in blocks that are scanned, so their slots would have two readers. */
static void scan_in_parallel(struct spgc_evacuation *evacuation, spgc_worker_task read) {
  if (evacuation->workers[0].worker->stack.count != 0)
    copy_in_parallel(evacuation);
  evacuation->unread = evacuation->heap->low_water;
  evacuation->unread_end = evacuation->heap->high_water;
  do {
    spgc_worker_pool_run(evacuation->parallelism.pool, evacuation->parallelism.extra_workers, read,
                         evacuation);
    copy_in_parallel(evacuation);
  } while (evacuation->unread < evacuation->unread_end);
}

/* Claims the blocks [first, end) of the next unit for a worker. False when its stack is long, or
 * every unit is claimed. */
static bool claim_unit(struct spgc_evacuation *evacuation, const struct spgc_evacuator *evacuator,
                       uint32_t *first, uint32_t *end) {
  if (evacuator->worker->stack.count > LONG_WORKLIST)
    return false;
  *first = __atomic_fetch_add(&evacuation->unread, UNIT_BLOCKS, __ATOMIC_RELAXED);
  if (*first >= evacuation->unread_end)
    return false;
  uint32_t left = evacuation->unread_end - *first;
  *end = *first + (left < UNIT_BLOCKS ? left : UNIT_BLOCKS);
  return true;
}

static bool is_worth_parallelism(const struct spgc_evacuation *evacuation, bool is_much) {
  return evacuation->parallelism.extra_workers != 0 && (evacuation->parallelism.at_once || is_much);
}

/* ---- Dirty cards ---- */

/* Pushes a slot of a marked object, or marks the old object it refers to. */
SPGC_INLINE void push_condemned_mark_others(void *context, struct spgc_slot slot) {
  struct spgc_evacuator *evacuator = context;
  uintptr_t word = slot.location->word;
  if (!spgc_heap_contains(evacuator->heap, word))
    return;
  if (spgc_is_condemned(evacuator->heap, word))
    spgc_worklist_push(&evacuator->worker->stack, (uintptr_t)slot.location | SPGC_ENTRY_SLOT);
  else
    spgc_mark(evacuator->scanner, (struct spgc_ref){word}, SPGC_TRACE_PARALLEL);
}

SPGC_INLINE void push_object(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct spgc_evacuator *evacuator = context;
  const struct spgc_type *type = spgc_object_type(object);
  if (spgc_marks_others(evacuator->heap, evacuator->scanner, object)) {
    struct spgc_window window = {from, to, push_condemned_mark_others, evacuator};
    spgc_object_visit_within(object, type, &window);
  } else {
    struct spgc_window window = {from, to, push_condemned, evacuator};
    spgc_object_visit_within(object, type, &window);
  }
}

/* No block is taken or freed while cards are scanned. */
static void scan_cards_as_worker(void *context, uint32_t worker) {
  struct spgc_evacuation *evacuation = context;
  struct spgc_heap *heap = evacuation->heap;
  struct spgc_evacuator *evacuator = &evacuation->workers[worker];
  for (uint32_t first, end; claim_unit(evacuation, evacuator, &first, &end);)
    spgc_cards_visit_dirty(heap, spgc_first_group(first), spgc_first_group(end),
                           heap->card_once_read, push_object, evacuator, &evacuator->cards_read);
}

static size_t count_dirty_cards(const struct spgc_evacuation *evacuation) {
  size_t count = 0;
  for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++)
    count += evacuation->workers[worker].cards_read.all;
  return count;
}

void spgc_evacuation_scan_cards(struct spgc_evacuation *evacuation) {
  enum { LEAST_CARDS = 4096 };
  struct spgc_heap *heap = evacuation->heap;
  if (is_worth_parallelism(evacuation, heap->dirty_cards >= LEAST_CARDS))
    scan_in_parallel(evacuation, scan_cards_as_worker);
  else
    spgc_evacuator_scan_cards(&evacuation->workers[0]);
  if (heap->condemned.count + heap->condemned_large.count != 0)
    heap->dirty_cards = count_dirty_cards(evacuation);
}

/* ---- All old objects ---- */

/* Pushes the slots of a block's objects, or of its part of a large object. The scan of a block that
 * was taken for survivors since the beginning finds nothing. */
static void read_block(struct spgc_evacuator *evacuator, uint32_t index) {
  const struct spgc_heap *heap = evacuator->heap;
  enum spgc_space space = spgc_heap_space(heap, index);
  uintptr_t from = spgc_heap_block_start(heap, index), to = from + SPGC_BLOCK_BYTES;
  if (space == SPGC_SPACE_OLD) {
    for (struct spgc_ref object = {from}; object.word < to; object = spgc_object_next(object))
      spgc_object_visit(object, spgc_object_type(object), push_condemned, evacuator);
  } else if (space == SPGC_SPACE_OLD_LARGE || space == SPGC_SPACE_LARGE_REST) {
    struct spgc_ref object = spgc_heap_first_object(
        heap, space == SPGC_SPACE_LARGE_REST ? heap->blocks[index].head : index);
    struct spgc_window window = {from, to, push_condemned, evacuator};
    spgc_object_visit_within(object, spgc_object_type(object), &window);
  }
}

static void update_as_worker(void *context, uint32_t worker) {
  struct spgc_evacuation *evacuation = context;
  struct spgc_evacuator *evacuator = &evacuation->workers[worker];
  for (uint32_t first, end; claim_unit(evacuation, evacuator, &first, &end);)
    for (uint32_t i = first; i < end; i++)
      read_block(evacuator, i);
}

void spgc_evacuation_update(struct spgc_evacuation *evacuation) {
  enum { LEAST_BLOCKS = 64 };
  const struct spgc_heap *heap = evacuation->heap;
  if (is_worth_parallelism(evacuation, heap->old_blocks + heap->large_blocks >= LEAST_BLOCKS))
    scan_in_parallel(evacuation, update_as_worker);
  else
    spgc_evacuator_scan_old(&evacuation->workers[0], false);
}
