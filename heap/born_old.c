#include "heap/born_old.h"

#include "heap/blocks.h"
#include "heap/hole.h"
#include "heap/sweep.h"

void spgc_born_old_create(struct spgc_born_old *born_old) {
  *born_old = (struct spgc_born_old){.next_hole = SPGC_NO_HOLE};
}

static uint32_t block_at_hand(const struct spgc_born_old *born_old) {
  return born_old->blocks[born_old->next - 1];
}

/* No hole is open, and other threads may be reading that. */
static void forget(struct spgc_born_old *born_old) {
  born_old->next = born_old->count = 0;
  born_old->next_hole = SPGC_NO_HOLE;
}

size_t spgc_born_old_take(struct spgc_heap *heap, struct spgc_born_old *born_old, size_t bytes) {
  size_t taken_bytes = 0;
  uint32_t index;
  forget(born_old);
  while (born_old->count < SPGC_BORN_OLD_BLOCKS &&
         (index = spgc_recyclable_take(heap, SPGC_ALL_BLOCKS, bytes)) != SPGC_BLOCK_NONE) {
    taken_bytes += (size_t)heap->blocks[index].hole_words * SPGC_WORD_BYTES;
    born_old->blocks[born_old->count++] = index;
  }
  return taken_bytes;
}

size_t spgc_born_old_take_free(struct spgc_heap *heap, struct spgc_born_old *born_old) {
  forget(born_old);
  uint32_t index = spgc_blocks_prepare(heap, 1 + SPGC_COPY_RESERVE_BLOCKS)
                       ? spgc_blocks_take_old(heap)
                       : SPGC_BLOCK_NONE;
  if (index == SPGC_BLOCK_NONE)
    return 0;
  uintptr_t start = spgc_heap_block_start(heap, index);
  spgc_filler_write(start, SPGC_BLOCK_BYTES);
  *spgc_hole_next(start) = SPGC_NO_HOLE;
  heap->blocks[index].first_hole = 0;
  heap->blocks[index].hole_words = heap->blocks[index].largest_hole =
      SPGC_BLOCK_BYTES / SPGC_WORD_BYTES;
  born_old->blocks[born_old->count++] = index;
  return SPGC_BLOCK_BYTES;
}

size_t spgc_born_old_return(struct spgc_heap *heap, struct spgc_born_old *born_old) {
  size_t bytes = born_old->passed_bytes;
  uint32_t first = born_old->next;
  if (born_old->next_hole != SPGC_NO_HOLE) {
    first--;
    heap->blocks[block_at_hand(born_old)].first_hole = born_old->next_hole;
  }
  for (uint32_t i = first; i < born_old->count; i++) {
    bytes += (size_t)heap->blocks[born_old->blocks[i]].hole_words * SPGC_WORD_BYTES;
    spgc_recyclable_return(heap, born_old->blocks[i]);
  }
  spgc_born_old_create(born_old);
  return bytes;
}

void spgc_born_old_publish(const struct spgc_born_old *born_old, uintptr_t end) {
  if (end != born_old->limit)
    spgc_filler_write(end, born_old->limit - end);
}

void spgc_born_old_close(struct spgc_heap *heap, struct spgc_born_old *born_old, uintptr_t end) {
  spgc_born_old_publish(born_old, end);
  if (born_old->limit - end >= heap->least_hole_bytes) {
    uint32_t index = block_at_hand(born_old);
    *spgc_hole_next(end) = born_old->next_hole;
    born_old->next_hole = (uint16_t)((end - spgc_heap_block_start(heap, index)) / SPGC_WORD_BYTES);
    heap->blocks[index].hole_words += (uint16_t)((born_old->limit - end) / SPGC_WORD_BYTES);
  }
  born_old->limit = 0;
  __atomic_store_n(&born_old->start, 0, __ATOMIC_RELEASE);
}

bool spgc_born_old_next_hole(struct spgc_heap *heap, struct spgc_born_old *born_old, uintptr_t end,
                             size_t bytes) {
  spgc_born_old_close(heap, born_old, end);
  for (;;) {
    while (born_old->next_hole == SPGC_NO_HOLE && born_old->next != born_old->count)
      born_old->next_hole = heap->blocks[born_old->blocks[born_old->next++]].first_hole;
    if (born_old->next_hole == SPGC_NO_HOLE)
      return false;
    uint32_t index = block_at_hand(born_old);
    uintptr_t start = spgc_heap_block_start(heap, index),
              filler = spgc_hole_at(start, born_old->next_hole);
    size_t hole_bytes = spgc_hole_bytes(filler);
    born_old->next_hole = (uint16_t)*spgc_hole_next(filler);
    heap->blocks[index].hole_words -= (uint16_t)(hole_bytes / SPGC_WORD_BYTES);
    if (born_old->next_hole != SPGC_NO_HOLE)
      __builtin_prefetch((void *)spgc_hole_at(start, born_old->next_hole), 1);
    if (hole_bytes >= bytes) {
      born_old->limit = filler + hole_bytes;
      __atomic_store_n(&born_old->start, filler, __ATOMIC_RELEASE);
      if (heap->is_checked)
        spgc_hole_allow_access(filler);
      return true;
    }
    born_old->passed_bytes += hole_bytes;
  }
}
