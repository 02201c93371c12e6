#include "gc/weak/weak_elements.h"

#include "heap/mark_bits.h"
#include "heap/object.h"

/* Sets the element to null, or to its object's new address. */
static void settle(void *context, struct spgc_slot element) {
  const struct spgc_liveness *liveness = context;
  if (spgc_heap_contains(liveness->heap, element.location->word))
    *element.location = liveness->address(liveness->tracer, *element.location);
}

/* ---- After a marking ---- */

/* An element whose object a compaction may move is recorded like other fields, but not that of a
 * dead array, whose memory is free by then. */
struct settling {
  const struct spgc_liveness *liveness;
  struct spgc_recorder recorder;
  bool array_is_alive;
};

static void settle_and_record(void *context, struct spgc_slot element) {
  struct settling *settling = context;
  struct spgc_heap *heap = settling->liveness->heap;
  settle((void *)(uintptr_t)settling->liveness, element);
  if (!settling->array_is_alive || !spgc_heap_contains(heap, element.location->word))
    return;
  uint32_t index = spgc_heap_block_of(heap, element.location->word);
  if (spgc_heap_space(heap, index) == SPGC_SPACE_OLD_CANDIDATE)
    spgc_record(heap, &settling->recorder, element, index);
}

static void settle_elements(struct settling *settling, struct spgc_ref array) {
  const struct spgc_liveness *liveness = settling->liveness;
  settling->array_is_alive = spgc_is_alive(liveness, array);
  spgc_object_visit(array, spgc_object_type(array), settle_and_record, settling);
}

/* Includes unreached arrays, because a finalizer may yet keep one alive. Returns whether there are
 * any. */
static bool settle_small(struct settling *settling, uint32_t index) {
  const struct spgc_heap *heap = settling->liveness->heap;
  uintptr_t end = spgc_heap_block_start(heap, index) + SPGC_BLOCK_BYTES;
  bool has_weak = false;
  for (struct spgc_ref tile = spgc_heap_first_object(heap, index); tile.word < end;
       tile = spgc_tile_next(heap, index, tile))
    if (!spgc_tile_is_unswept(heap, index, tile) && spgc_type_is_weak(spgc_object_type(tile))) {
      settle_elements(settling, tile);
      has_weak = true;
    }
  return has_weak;
}

static void settle_large(struct settling *settling) {
  const struct spgc_heap *heap = settling->liveness->heap;
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    struct spgc_ref object = spgc_heap_first_object(heap, i);
    if (spgc_type_is_weak(spgc_object_type(object)))
      settle_elements(settling, object);
  }
}

static void settle_all(const struct spgc_liveness *liveness) {
  struct spgc_heap *heap = liveness->heap;
  struct settling settling = {.liveness = liveness};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (heap->blocks[i].has_weak)
      heap->blocks[i].has_weak = settle_small(&settling, i);
  settle_large(&settling);
}

/* ---- After an evacuation ---- */

/* Objects and elements are seldom cached. */
static void settle_recorded(const struct spgc_liveness *liveness) {
  enum { OBJECTS_AHEAD = 8, ELEMENTS_AHEAD = 16 };
  for (uint32_t i = 0; i < spgc_recorded_chunks(liveness->weak_slots); i++) {
    const struct spgc_recorded_chunk *chunk = spgc_recorded_chunk_at(liveness->weak_slots, i);
    for (uint64_t k = 0; k < chunk->count; k++) {
      if (k + ELEMENTS_AHEAD < chunk->count)
        __builtin_prefetch(chunk->slots[k + ELEMENTS_AHEAD].location, 1);
      if (k + OBJECTS_AHEAD < chunk->count)
        __builtin_prefetch((const void *)chunk->slots[k + OBJECTS_AHEAD].location->word);
      settle((void *)(uintptr_t)liveness, chunk->slots[k]);
    }
  }
}

void spgc_weak_elements_clear(const struct spgc_liveness *liveness) {
  if (liveness->weak_slots != NULL)
    settle_recorded(liveness);
  else
    settle_all(liveness);
}
