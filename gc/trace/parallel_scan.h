/* Scanning old objects in parallel, for the slots that refer to condemned objects: those on cards
 * (gc/trace/scan_cards.c), or all of them (gc/trace/update_references.c).
 *
 * A worker reads a unit at a time and pushes the slots it finds. While its worklist is long it
 * reads no more. When all have stopped, what was found is copied; then they read on. So no block is
 * read while survivors are put in it.
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
               "the slots of a unit fit a worklist that is not long");

/* `word` lies in the range. */
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

/* Whether there is so much to read that it is worth waking others. */
bool spgc_parallel_scan_is_worth_it(const struct spgc_evacuation *evacuation, size_t least_blocks);

/* Lets all workers `read` until nothing is left of what `progress` spans, and copies what they
 * find. */
void spgc_parallel_scan(struct spgc_evacuation *evacuation, struct spgc_scan_progress progress,
                        spgc_worker_task read);

#endif
