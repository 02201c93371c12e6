#include "heap/filling.h"

#include "heap/blocks.h"
#include "heap/hole.h"
#include "heap/sweep.h"

void spgc_filling_create(struct spgc_filling *filling) {
  *filling = (struct spgc_filling){.next_hole = SPGC_NO_HOLE};
}

/* The block at hand, in which a hole is open. */
static uint32_t block_at_hand(const struct spgc_filling *filling) {
  return filling->blocks[filling->next - 1];
}

/* ---- Blocks ---- */

static size_t bytes_of_holes(const struct spgc_heap *heap, uint32_t index) {
  return (size_t)heap->blocks[index].hole_words * SPGC_WORD_BYTES;
}

/* Leaves the filling without blocks. */
static void forget(struct spgc_filling *filling) {
  size_t passed_bytes = filling->passed_bytes;
  spgc_filling_create(filling);
  filling->passed_bytes = passed_bytes;
}

size_t spgc_filling_take(struct spgc_heap *heap, struct spgc_filling *filling) {
  size_t bytes = 0;
  uint32_t index;
  forget(filling);
  while (filling->count < SPGC_FILLING_BLOCKS &&
         (index = spgc_recyclable_take(heap, SPGC_ALL_BLOCKS)) != SPGC_BLOCK_NONE) {
    spgc_sweep_block(heap, index);
    bytes += bytes_of_holes(heap, index);
    if (heap->blocks[index].first_hole != SPGC_NO_HOLE)
      filling->blocks[filling->count++] = index;
  }
  return bytes;
}

size_t spgc_filling_take_free(struct spgc_heap *heap, struct spgc_filling *filling) {
  forget(filling);
  uint32_t index = spgc_blocks_prepare(heap, 1 + SPGC_COPY_RESERVE_BLOCKS)
                       ? spgc_blocks_take_old(heap)
                       : SPGC_BLOCK_NONE;
  if (index == SPGC_BLOCK_NONE)
    return 0;
  uintptr_t start = spgc_heap_block_start(heap, index);
  spgc_filler_write(start, SPGC_BLOCK_BYTES);
  *spgc_hole_next(start) = SPGC_NO_HOLE;
  heap->blocks[index].first_hole = 0;
  heap->blocks[index].hole_words = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES;
  filling->blocks[filling->count++] = index;
  return SPGC_BLOCK_BYTES;
}

size_t spgc_filling_return(struct spgc_heap *heap, struct spgc_filling *filling) {
  size_t bytes = filling->passed_bytes;
  uint32_t first = filling->next;
  if (filling->next_hole != SPGC_NO_HOLE) {
    first--;
    heap->blocks[block_at_hand(filling)].first_hole = filling->next_hole;
  }
  for (uint32_t i = first; i < filling->count; i++) {
    bytes += bytes_of_holes(heap, filling->blocks[i]);
    spgc_recyclable_return(heap, filling->blocks[i]);
  }
  spgc_filling_create(filling);
  return bytes;
}

/* ---- Holes ---- */

static void open_hole(struct spgc_heap *heap, struct spgc_filling *filling, uintptr_t filler) {
  filling->limit = filler + spgc_hole_bytes(filler);
  filling->end = filler;
  __atomic_store_n(&filling->start, filler, __ATOMIC_RELEASE);
  if (heap->is_checked)
    spgc_hole_allow_access(filler);
}

/* Goes on to the next block with a hole. False when there is none. */
static bool find_hole(const struct spgc_heap *heap, struct spgc_filling *filling) {
  while (filling->next_hole == SPGC_NO_HOLE && filling->next != filling->count)
    filling->next_hole = heap->blocks[filling->blocks[filling->next++]].first_hole;
  return filling->next_hole != SPGC_NO_HOLE;
}

/* Takes the next hole off the list of its block, in which the search goes on, and fetches the head
 * of the one behind it. */
static uintptr_t take_hole(struct spgc_heap *heap, struct spgc_filling *filling) {
  uint32_t index = block_at_hand(filling);
  uintptr_t start = spgc_heap_block_start(heap, index),
            filler = spgc_hole_at(start, filling->next_hole);
  filling->next_hole = (uint16_t)*spgc_hole_next(filler);
  heap->blocks[index].hole_words -= (uint16_t)(spgc_hole_bytes(filler) / SPGC_WORD_BYTES);
  if (filling->next_hole != SPGC_NO_HOLE)
    __builtin_prefetch((void *)spgc_hole_at(start, filling->next_hole), 1);
  return filler;
}

bool spgc_filling_open_next(struct spgc_heap *heap, struct spgc_filling *filling, size_t bytes) {
  while (find_hole(heap, filling)) {
    uintptr_t filler = take_hole(heap, filling);
    if (spgc_hole_bytes(filler) >= bytes) {
      open_hole(heap, filling, filler);
      return true;
    }
    filling->passed_bytes += spgc_hole_bytes(filler);
  }
  return false;
}

void spgc_filling_publish(struct spgc_filling *filling, uintptr_t end) {
  if (end != filling->limit)
    spgc_filler_write(end, filling->limit - end);
  filling->end = end;
}

/* Puts the filler at `end`, the rest of the open hole, in front of the other holes. */
static void put_back(struct spgc_heap *heap, struct spgc_filling *filling, uintptr_t end) {
  uint32_t index = block_at_hand(filling);
  *spgc_hole_next(end) = filling->next_hole;
  filling->next_hole = (uint16_t)((end - spgc_heap_block_start(heap, index)) / SPGC_WORD_BYTES);
  heap->blocks[index].hole_words += (uint16_t)((filling->limit - end) / SPGC_WORD_BYTES);
}

void spgc_filling_leave(struct spgc_heap *heap, struct spgc_filling *filling, uintptr_t end) {
  spgc_filling_publish(filling, end);
  if (filling->limit - end >= heap->least_hole_bytes)
    put_back(heap, filling, end);
  filling->limit = filling->end = 0;
  __atomic_store_n(&filling->start, 0, __ATOMIC_RELEASE);
}
