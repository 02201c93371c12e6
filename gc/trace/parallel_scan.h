/* Parallel scan of old objects: finds the slots that refer to condemned objects, on dirty cards
 * (gc/trace/scan_cards.c) or everywhere (gc/trace/update_references.c).
 *
 * A worker scans one unit after another and pushes the slots it finds, until its stack is long.
 * When all workers have stopped, they drain their stacks; then they scan the next units. So no
 * block is walked while survivors are copied into it.
 */
#ifndef SPGC_GC_TRACE_PARALLEL_SCAN_H
#define SPGC_GC_TRACE_PARALLEL_SCAN_H

#include "gc/trace/copier.h"
#include "gc/trace/evacuate.h"

enum {
  SPGC_SCAN_UNIT_BLOCKS = 64,
  SPGC_SCAN_UNIT_SLOTS = SPGC_SCAN_UNIT_BLOCKS * SPGC_BLOCK_BYTES / SPGC_WORD_BYTES, /* at most */
  SPGC_LONG_WORKLIST = 1 << 17,
};

_Static_assert(SPGC_LONG_WORKLIST + SPGC_SCAN_UNIT_SLOTS <= SPGC_WORKLIST_ENTRIES,
               "the slots of a unit fit a stack that is not long");

/* Whether the object at `word`, which lies in the range, is condemned. */
SPGC_INLINE bool spgc_is_condemned(const struct spgc_heap *heap, uintptr_t word) {
  return spgc_space_is_condemned(spgc_heap_space(heap, spgc_heap_block_of(heap, word)));
}

static inline bool spgc_parallel_scan_may_read(const struct spgc_evacuator *evacuator) {
  return evacuator->worker->stack.count <= SPGC_LONG_WORKLIST;
}

static inline uint32_t spgc_at_most(uint32_t number, uint32_t most) {
  return number < most ? number : most;
}

SPGC_INLINE void spgc_push_condemned(void *context, struct spgc_slot slot) {
  struct spgc_evacuator *evacuator = context;
  uintptr_t word = spgc_copier_read(slot);
  if (spgc_heap_contains(evacuator->heap, word) && spgc_is_condemned(evacuator->heap, word))
    spgc_worklist_push(&evacuator->worker->stack, (uintptr_t)slot.location | SPGC_ENTRY_SLOT);
}

/* Whether so much is to be scanned that other workers should be called. */
bool spgc_parallel_scan_is_worth_it(const struct spgc_evacuation *evacuation, size_t least_blocks);

/* Lets all workers run `read` until everything that `progress` spans is scanned, and copies the
 * objects they find. */
void spgc_parallel_scan(struct spgc_evacuation *evacuation, struct spgc_scan_progress progress,
                        spgc_worker_task read);

#endif
