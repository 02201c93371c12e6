#include "heap/heap.h"

#include <string.h>

#include "heap/memory.h"
#include "heap/room.h"

static size_t cards_bytes(const struct spgc_heap *heap) {
  return heap->size >> SPGC_CARD_SHIFT;
}

static void initialise_lists(struct spgc_heap *heap) {
  for (int pool = SPGC_POOL_READY; pool <= SPGC_POOL_CLOSED; pool++)
    heap->pools[pool] = spgc_block_list_empty();
  heap->nursery = heap->nursery_large = spgc_block_list_empty();
  heap->old = heap->old_large = spgc_block_list_empty();
  heap->condemned = heap->condemned_large = spgc_block_list_empty();
  spgc_heap_forget_lanes(heap);
}

void spgc_heap_forget_lanes(struct spgc_heap *heap) {
  for (int worker = 0; worker < SPGC_MOST_WORKERS; worker++)
    for (int i = 0; i < SPGC_LANES; i++)
      heap->workers[worker].lanes[i] = (struct spgc_lane){.block = SPGC_BLOCK_NONE, .next_room = SPGC_NO_ROOM};
  heap->room = heap->unswept = SPGC_BLOCK_NONE;
}

bool spgc_heap_create(struct spgc_heap *heap, size_t bytes, bool poison) {
  memset(heap, 0, sizeof *heap);
  size_t count = spgc_blocks_for(bytes);
  if (count == 0 || count >= SPGC_BLOCK_NONE)
    return false;
  heap->block_count = (uint32_t)count;
  heap->size = count << SPGC_BLOCK_SHIFT;
  heap->poison = poison;
  initialise_lists(heap);

  void *range = spgc_memory_reserve(heap->size, SPGC_BLOCK_BYTES);
  if (range == NULL)
    return false;
  heap->base = (uintptr_t)range;
  heap->spaces = spgc_memory_map(count);
  if (heap->spaces == NULL)
    goto fail_spaces;
  heap->blocks = spgc_memory_map(count * sizeof *heap->blocks);
  if (heap->blocks == NULL)
    goto fail_blocks;
  heap->cards = spgc_memory_map(cards_bytes(heap));
  if (heap->cards == NULL)
    goto fail_cards;
  heap->crossings = spgc_memory_map(count * sizeof *heap->crossings);
  if (heap->crossings == NULL)
    goto fail_crossings;
  heap->marks = spgc_memory_map(count * sizeof *heap->marks);
  if (heap->marks == NULL)
    goto fail_marks;
  if (!spgc_work_stack_provide(&heap->workers[0].stack))
    goto fail_stack;
  spgc_work_share_create(&heap->share);
  pthread_mutex_init(&heap->lock, NULL);
  return true;

fail_stack:
  spgc_memory_unmap(heap->marks, count * sizeof *heap->marks);
fail_marks:
  spgc_memory_unmap(heap->crossings, count * sizeof *heap->crossings);
fail_crossings:
  spgc_memory_unmap(heap->cards, cards_bytes(heap));
fail_cards:
  spgc_memory_unmap(heap->blocks, count * sizeof *heap->blocks);
fail_blocks:
  spgc_memory_unmap(heap->spaces, count);
fail_spaces:
  spgc_memory_unmap(range, heap->size);
  memset(heap, 0, sizeof *heap);
  return false;
}

void spgc_heap_destroy(struct spgc_heap *heap) {
  pthread_mutex_destroy(&heap->lock);
  spgc_work_share_destroy(&heap->share);
  for (int worker = 0; worker < SPGC_MOST_WORKERS; worker++)
    spgc_work_stack_destroy(&heap->workers[worker].stack);
  spgc_work_stack_destroy(&heap->originals);
  spgc_memory_unmap(heap->marks, heap->block_count * sizeof *heap->marks);
  spgc_memory_unmap(heap->crossings, heap->block_count * sizeof *heap->crossings);
  spgc_memory_unmap(heap->cards, cards_bytes(heap));
  spgc_memory_unmap(heap->blocks, heap->block_count * sizeof *heap->blocks);
  spgc_memory_unmap(heap->spaces, heap->block_count);
  spgc_memory_unmap((void *)heap->base, heap->size);
  memset(heap, 0, sizeof *heap);
}
