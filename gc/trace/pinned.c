#include "gc/trace/pinned.h"

#include "heap/card.h"
#include "heap/filler.h"
#include "heap/mark_bits.h"
#include "heap/object.h"
#include "heap/sweep.h"

static uint32_t block_of(const struct spgc_heap *heap, struct spgc_ref object) {
  return spgc_heap_block_of(heap, object.word);
}

uintptr_t spgc_pin_hold(struct spgc_evacuation *evacuation, struct spgc_ref object) {
  struct spgc_heap *heap = evacuation->heap;
  if (spgc_heap_space(heap, block_of(heap, object)) != SPGC_SPACE_CONDEMNED) {
    spgc_evacuation_forward(evacuation, spgc_slot_at(&object));
    return 0;
  }
  uintptr_t header = spgc_object_header(object);
  size_t bytes = spgc_object_bytes(object, (const struct spgc_type *)header);
  spgc_object_set_header(object, object.word);
  evacuation->workers[0].relabelled_bytes += bytes;
  spgc_evacuator_count_survivor(&evacuation->workers[0], block_of(heap, object), bytes);
  return header;
}

static void forward_slot(void *context, struct spgc_slot slot) {
  spgc_evacuation_forward(context, slot);
}

void spgc_pin_scan(struct spgc_evacuation *evacuation, struct spgc_ref object, uintptr_t header) {
  spgc_object_visit(object, (const struct spgc_type *)header, forward_slot, evacuation);
}

/* Makes the block an old one, as if a marking had found only the held objects live. It becomes the
 * last recyclable block, so that survivors fill the holes of others first. */
static void keep_block(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  if (block->top != SPGC_BLOCK_BYTES)
    spgc_filler_write(spgc_heap_block_start(heap, index) + block->top,
                      SPGC_BLOCK_BYTES - block->top);
  spgc_block_list_remove(&heap->condemned, heap->blocks, index);
  spgc_block_list_append(&heap->old, heap->blocks, index);
  heap->spaces[index] = SPGC_SPACE_OLD;
  block->top = SPGC_BLOCK_BYTES;
  block->live = 0;
  block->unswept = true;
  block->vacated_by = heap->collection;
  block->is_recyclable = true;
  if (heap->recyclable == SPGC_BLOCK_NONE)
    heap->recyclable = index;
  spgc_mark_bits_clear(heap, index);
  memset(heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK, SPGC_CARD_CLEAN, SPGC_CARDS_PER_BLOCK);
}

void spgc_pin_release(struct spgc_heap *heap, struct spgc_ref object, uintptr_t header) {
  uint32_t index = block_of(heap, object);
  if (spgc_heap_space(heap, index) == SPGC_SPACE_CONDEMNED)
    keep_block(heap, index);
  spgc_object_set_header(object, header);
  size_t bytes = spgc_object_bytes(object, spgc_object_type(object));
  spgc_mark_bits_cover(heap, object, bytes, SPGC_TRACE_SERIAL);
  heap->blocks[index].live += (uint32_t)bytes;
}

/* Sweeps the block. No marking has marked anything in it, so all bits are cleared. */
void spgc_pin_settle(struct spgc_heap *heap, struct spgc_ref object) {
  uint32_t index = block_of(heap, object);
  if (!heap->blocks[index].unswept)
    return;
  spgc_sweep_block(heap, index);
  spgc_mark_bits_clear(heap, index);
  heap->blocks[index].live = 0;
}

void spgc_pin_mark(struct spgc_marker *marker, struct spgc_ref object) {
  size_t bytes = spgc_object_bytes(object, spgc_object_type(object));
  spgc_mark_survivor(&marker->scanners[0], object, bytes, SPGC_TRACE_SERIAL);
}
