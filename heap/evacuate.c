#include "heap/evacuate.h"

#include <string.h>

#include "heap/blocks.h"
#include "heap/card.h"
#include "heap/object.h"
#include "support/fatal.h"

size_t spgc_evacuation_blocks(size_t bytes) {
  return spgc_blocks_for_copies(bytes, SPGC_LANES);
}

static void close_lane(struct spgc_evacuation *evacuation, struct spgc_lane *lane) {
  if (lane->cursor != 0) {
    uintptr_t start = spgc_heap_block_start(evacuation->heap, lane->block);
    evacuation->heap->blocks[lane->block].top = (uint32_t)(lane->cursor - start);
  }
}

static void open_lane(struct spgc_evacuation *evacuation, struct spgc_lane *lane, uint32_t index) {
  uintptr_t start = spgc_heap_block_start(evacuation->heap, index);
  lane->block = index;
  lane->cursor = start + evacuation->heap->blocks[index].top;
  lane->limit = start + SPGC_BLOCK_BYTES;
  if (evacuation->unscanned == SPGC_BLOCK_NONE)
    evacuation->unscanned = index;
}

static __attribute__((noinline)) void refill_lane(struct spgc_evacuation *evacuation, struct spgc_lane *lane) {
  close_lane(evacuation, lane);
  uint32_t index = spgc_blocks_take_old(evacuation->heap);
  spgc_require(index != SPGC_BLOCK_NONE, "the copy reserve of the collection is used up (%u blocks in use)",
               evacuation->heap->used_blocks);
  open_lane(evacuation, lane, index);
}

SPGC_INLINE void copy_object(uintptr_t to, uintptr_t from, size_t bytes) {
  enum { INLINE_BYTES = 64 };
  if (bytes > INLINE_BYTES) {
    memcpy((void *)to, (const void *)from, bytes);
    return;
  }
  for (size_t offset = 0; offset < bytes; offset += SPGC_WORD_BYTES)
    *(uint64_t *)(to + offset) = *(const uint64_t *)(from + offset);
}

SPGC_INLINE uintptr_t evacuate_small(struct spgc_evacuation *evacuation, uintptr_t from, uintptr_t header) {
  size_t bytes = spgc_object_bytes(from, (const struct spgc_type *)header);
  struct spgc_lane *lane = evacuation->lanes;
  if (__builtin_expect(evacuation->shuffle != NULL, 0))
    lane += spgc_random_next(evacuation->shuffle) % evacuation->lane_count;
  if (__builtin_expect(bytes > lane->limit - lane->cursor, 0))
    refill_lane(evacuation, lane);
  uintptr_t to = lane->cursor;
  lane->cursor = to + bytes;
  copy_object(to, from, bytes);
  spgc_object_set_header(from, to);
  evacuation->moved_objects++;
  evacuation->moved_bytes += bytes;
  return to;
}

static __attribute__((noinline)) void relabel_large(struct spgc_evacuation *evacuation, uint32_t index) {
  struct spgc_heap *heap = evacuation->heap;
  spgc_block_list_remove(&heap->condemned_large, heap->blocks, index);
  spgc_block_list_append(&heap->gray_large, heap->blocks, index);
  heap->spaces[index] = SPGC_SPACE_OLD_LARGE;
  heap->old_large_bytes += heap->blocks[index].large_bytes;
}

SPGC_INLINE void forward(struct spgc_evacuation *evacuation, struct spgc_slot slot) {
  uintptr_t word = slot.location->word;
  uintptr_t offset = word - evacuation->base;
  if (offset >= evacuation->size)
    return;
  uint32_t index = (uint32_t)(offset >> SPGC_BLOCK_SHIFT);
  enum spgc_space space = spgc_heap_space(evacuation->heap, index);
  if (!spgc_space_is_condemned(space))
    return;
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED_LARGE, 0)) {
    relabel_large(evacuation, index);
    return;
  }
  uintptr_t header = spgc_object_header(word);
  bool moved = header - evacuation->base < evacuation->size;
  slot.location->word = moved ? header : evacuate_small(evacuation, word, header);
}

SPGC_INLINE bool refers_to_condemned(const struct spgc_evacuation *evacuation, struct spgc_slot slot) {
  uintptr_t offset = slot.location->word - evacuation->base;
  return offset < evacuation->size &&
         spgc_space_is_condemned(spgc_heap_space(evacuation->heap, (uint32_t)(offset >> SPGC_BLOCK_SHIFT)));
}

/* The header of an object to be copied is seldom in a cache: it is fetched now and wanted a few slots later. */
SPGC_INLINE void forward_soon(void *context, struct spgc_slot slot) {
  struct spgc_evacuation *evacuation = context;
  if (!refers_to_condemned(evacuation, slot))
    return;
  __builtin_prefetch((void *)slot.location->word, 1);
  if (evacuation->soon_next - evacuation->soon_first == SPGC_SOON_SLOTS)
    forward(evacuation, evacuation->soon[evacuation->soon_first++ % SPGC_SOON_SLOTS]);
  evacuation->soon[evacuation->soon_next++ % SPGC_SOON_SLOTS] = slot;
}

/* Returns whether there was anything. */
static bool forward_waiting(struct spgc_evacuation *evacuation) {
  uint32_t first = evacuation->soon_first;
  while (evacuation->soon_first != evacuation->soon_next)
    forward(evacuation, evacuation->soon[evacuation->soon_first++ % SPGC_SOON_SLOTS]);
  return evacuation->soon_first != first;
}

void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot) {
  forward(evacuation, slot);
}

static void begin(struct spgc_evacuation *evacuation, struct spgc_heap *heap) {
  memset(evacuation, 0, sizeof *evacuation);
  evacuation->heap = heap;
  evacuation->base = heap->base;
  evacuation->size = heap->size;
  evacuation->lane_count = 1;
  evacuation->unscanned = SPGC_BLOCK_NONE;
}

static void condemn(struct spgc_heap *heap, struct spgc_block_list *list, struct spgc_block_list *condemned,
                    enum spgc_space space) {
  for (uint32_t i = list->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    heap->spaces[i] = (uint8_t)space;
  spgc_block_list_splice(condemned, list, heap->blocks);
}

static void condemn_nursery(struct spgc_heap *heap) {
  condemn(heap, &heap->nursery, &heap->condemned, SPGC_SPACE_CONDEMNED);
  condemn(heap, &heap->nursery_large, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
  heap->nursery_large_blocks = 0;
}

void spgc_evacuation_begin_minor(struct spgc_evacuation *evacuation, struct spgc_heap *heap) {
  begin(evacuation, heap);
  condemn_nursery(heap);
  if (heap->promotion != SPGC_BLOCK_NONE) {
    heap->blocks[heap->promotion].scan = heap->blocks[heap->promotion].top;
    open_lane(evacuation, &evacuation->lanes[0], heap->promotion);
  }
}

void spgc_evacuation_begin_full(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                                struct spgc_random *shuffle) {
  begin(evacuation, heap);
  evacuation->shuffle = shuffle;
  if (shuffle != NULL)
    evacuation->lane_count = SPGC_LANES;
  condemn_nursery(heap);
  condemn(heap, &heap->old, &heap->condemned, SPGC_SPACE_CONDEMNED);
  condemn(heap, &heap->old_large, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
  heap->promotion = SPGC_BLOCK_NONE;
  heap->old_bytes = heap->old_large_bytes = 0;
}

void spgc_evacuation_remember(struct spgc_evacuation *evacuation) {
  spgc_cards_visit_dirty(evacuation->heap, forward_soon, evacuation);
}

/* The lane that has the block open, or NULL. */
static struct spgc_lane *lane_of(struct spgc_evacuation *evacuation, uint32_t index) {
  for (uint32_t i = 0; i < evacuation->lane_count; i++)
    if (evacuation->lanes[i].cursor != 0 && evacuation->lanes[i].block == index)
      return &evacuation->lanes[i];
  return NULL;
}

static uint32_t current_top(struct spgc_evacuation *evacuation, uint32_t index) {
  const struct spgc_lane *lane = lane_of(evacuation, index);
  if (lane == NULL)
    return evacuation->heap->blocks[index].top;
  return (uint32_t)(lane->cursor - spgc_heap_block_start(evacuation->heap, index));
}

/* Scans what a to-block holds, and what scanning adds to it. Returns whether there was anything. */
static bool scan_block(struct spgc_evacuation *evacuation, uint32_t index) {
  struct spgc_block *block = &evacuation->heap->blocks[index];
  uintptr_t start = spgc_heap_block_start(evacuation->heap, index);
  uint32_t first = block->scan, top;
  while (block->scan < (top = current_top(evacuation, index))) {
    uintptr_t object = start + block->scan, end = start + top;
    while (object < end) {
      const struct spgc_type *type = spgc_object_type(object);
      size_t bytes = spgc_object_bytes(object, type);
      spgc_object_visit(object, type, forward_soon, evacuation);
      object += bytes;
    }
    block->scan = top;
  }
  return block->scan != first;
}

static bool scan_blocks(struct spgc_evacuation *evacuation) {
  const struct spgc_heap *heap = evacuation->heap;
  bool progress = false, all_closed = true;
  for (uint32_t i = evacuation->unscanned; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    progress |= scan_block(evacuation, i);
    all_closed = all_closed && lane_of(evacuation, i) == NULL;
    if (all_closed && heap->blocks[i].next != SPGC_BLOCK_NONE)
      evacuation->unscanned = heap->blocks[i].next;
  }
  return progress;
}

static bool scan_large(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  bool progress = false;
  uint32_t index;
  while ((index = spgc_block_list_take_first(&heap->gray_large, heap->blocks)) != SPGC_BLOCK_NONE) {
    spgc_block_list_append(&heap->old_large, heap->blocks, index);
    uintptr_t object = spgc_heap_block_start(heap, index);
    spgc_object_visit(object, spgc_object_type(object), forward_soon, evacuation);
    spgc_cards_clean_large(heap, index);
    progress = true;
  }
  return progress;
}

void spgc_evacuation_drain(struct spgc_evacuation *evacuation) {
  bool progress;
  do {
    progress = scan_blocks(evacuation);
    progress |= scan_large(evacuation);
    progress |= forward_waiting(evacuation);
  } while (progress);
}

void spgc_evacuation_end(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  for (uint32_t i = 0; i < evacuation->lane_count; i++)
    close_lane(evacuation, &evacuation->lanes[i]);
  if (evacuation->lanes[0].cursor != 0)
    heap->promotion = evacuation->lanes[0].block;
  heap->old_bytes += evacuation->moved_bytes;
  spgc_blocks_free_condemned(heap);
}
