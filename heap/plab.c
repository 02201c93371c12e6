#include "heap/plab.h"

#include "heap/blocks.h"
#include "heap/crossing_map.h"
#include "heap/hole.h"
#include "heap/sweep.h"
#include "support/fatal.h"

static void open_lane(struct spgc_lane *lane, uint32_t index, uintptr_t from, size_t bytes, uint16_t next_room) {
  *lane = (struct spgc_lane){from, from + bytes, from, lane->given, index, next_room};
}

/* Above what is entered there is nothing to follow. */
static void enter_crossings(struct spgc_heap *heap, const struct spgc_lane *lane) {
  const struct spgc_block *block = &heap->blocks[lane->block];
  uintptr_t start = spgc_heap_block_start(heap, lane->block), object = lane->start;
  while (object < lane->limit && object - start < block->crossings_top) {
    uintptr_t end = object + spgc_object_bytes(object, spgc_object_type(object));
    spgc_crossing_replace(heap, lane->block, object, end);
    object = end;
  }
}

void spgc_lane_pause(struct spgc_heap *heap, struct spgc_lane *lane) {
  if (lane->block == SPGC_BLOCK_NONE)
    return;
  enter_crossings(heap, lane);
  lane->given += lane->cursor - lane->start;
  lane->start = lane->cursor;
}

static size_t filler_bytes(uintptr_t filler) {
  return spgc_object_bytes(filler, &spgc_filler_words);
}

/* The block's next room of at least `bytes`. */
static bool open_next_room(struct spgc_heap *heap, struct spgc_lane *lane, size_t bytes) {
  while (lane->next_room != SPGC_NO_ROOM) {
    uintptr_t filler = spgc_room_at(spgc_heap_block_start(heap, lane->block), lane->next_room);
    uint16_t next = (uint16_t)*spgc_room_next(filler);
    if (filler_bytes(filler) >= bytes) {
      __builtin_prefetch((void *)spgc_room_at(spgc_heap_block_start(heap, lane->block), next), 1);
      spgc_lane_pause(heap, lane);
      open_lane(lane, lane->block, filler, filler_bytes(filler), next);
      return true;
    }
    lane->next_room = next;
  }
  return false;
}

/* Under the lock: the next block with room, or SPGC_BLOCK_NONE. */
static uint32_t find_block_with_room(struct spgc_heap *heap) {
  while (heap->room != SPGC_BLOCK_NONE) {
    uint32_t index = heap->room;
    heap->room = heap->blocks[index].next;
    if (heap->blocks[index].has_room) {
      heap->blocks[index].has_room = false;
      return index;
    }
  }
  return SPGC_BLOCK_NONE;
}

/* A block with room, swept, or SPGC_BLOCK_NONE. */
static uint32_t take_block_with_room(struct spgc_heap *heap) {
  pthread_mutex_lock(&heap->lock);
  uint32_t index = find_block_with_room(heap);
  pthread_mutex_unlock(&heap->lock);
  if (index != SPGC_BLOCK_NONE)
    spgc_sweep_block(heap, index);
  return index;
}

static uint32_t take_free_block(struct spgc_heap *heap) {
  pthread_mutex_lock(&heap->lock);
  uint32_t index = spgc_blocks_take_old(heap);
  pthread_mutex_unlock(&heap->lock);
  return index;
}

static void open_free_block(struct spgc_heap *heap, struct spgc_lane *lane) {
  uint32_t index = take_free_block(heap);
  spgc_require(index != SPGC_BLOCK_NONE, "the copy reserve of the collection is used up (%u blocks in use)",
               heap->used_blocks);
  spgc_lane_pause(heap, lane);
  uintptr_t start = spgc_heap_block_start(heap, index);
  spgc_filler_write(start, SPGC_BLOCK_BYTES);
  open_lane(lane, index, start, SPGC_BLOCK_BYTES, SPGC_NO_ROOM);
}

void spgc_lane_refill(struct spgc_heap *heap, struct spgc_lane *lane, size_t bytes, bool only_free_blocks) {
  if (only_free_blocks) {
    open_free_block(heap, lane);
    return;
  }
  while (!open_next_room(heap, lane, bytes)) {
    uint32_t index = take_block_with_room(heap);
    if (index == SPGC_BLOCK_NONE) {
      open_free_block(heap, lane);
      return;
    }
    spgc_lane_pause(heap, lane);
    open_lane(lane, index, spgc_heap_block_start(heap, index), 0, heap->blocks[index].first_room);
  }
}
