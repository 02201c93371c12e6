#include "heap/remembered/recorded.h"

#include "heap/condemn.h"
#include "heap/memory.h"
#include "support/min_max.h"

bool spgc_recorded_open(struct spgc_recorded *recorded) {
  if (recorded->chunks == NULL)
    recorded->chunks = spgc_memory_map(recorded->capacity * sizeof *recorded->chunks);
  return recorded->chunks != NULL;
}

void spgc_recorded_forget(struct spgc_recorded *recorded) {
  size_t used = spgc_min(recorded->taken, recorded->capacity);
  if (used != 0)
    spgc_memory_discard(recorded->chunks, used * sizeof *recorded->chunks);
  recorded->taken = 0;
}

void spgc_recorded_destroy(struct spgc_recorded *recorded) {
  if (recorded->chunks != NULL)
    spgc_memory_unmap(recorded->chunks, recorded->capacity * sizeof *recorded->chunks);
  recorded->chunks = NULL;
}

static struct spgc_recorded_chunk *take_chunk(struct spgc_recorded *recorded) {
  if (spgc_recorded_is_full(recorded))
    return NULL;
  uint32_t number = __atomic_fetch_add(&recorded->taken, 1, __ATOMIC_RELAXED);
  if (number >= recorded->capacity)
    return NULL;
  recorded->chunks[number].count = 0; /* pages that the system kept are not zero */
  return &recorded->chunks[number];
}

bool spgc_recorded_add(struct spgc_recorded *recorded, struct spgc_recorder *recorder,
                       struct spgc_slot slot) {
  if (recorder->chunk == NULL || recorder->chunk->count == SPGC_RECORDED_SLOTS)
    recorder->chunk = take_chunk(recorded);
  if (recorder->chunk == NULL)
    return false;
  recorder->chunk->slots[recorder->chunk->count++] = slot;
  return true;
}

void spgc_candidate_add_work(struct spgc_heap *heap, uint32_t index) {
  /* Workers may lose counts to each other, which does not matter. */
  uint32_t *work = &heap->blocks[index].evacuation_work;
  uint32_t count = __atomic_load_n(work, __ATOMIC_RELAXED) + 1;
  __atomic_store_n(work, count, __ATOMIC_RELAXED);
  if (count == SPGC_MOST_COMPACTED)
    spgc_heap_set_space(heap, index, SPGC_SPACE_OLD);
}

void spgc_record(struct spgc_heap *heap, struct spgc_recorder *recorder, struct spgc_slot slot,
                 uint32_t index) {
  if (spgc_heap_contains(heap, (uintptr_t)slot.location) &&
      spgc_recorded_add(&heap->recorded, recorder, slot))
    spgc_candidate_add_work(heap, index);
}
