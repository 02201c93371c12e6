#include "heap/hole.h"

#include "heap/access_checker.h"
#include "heap/blocks.h"
#include "heap/sweep.h"
#include "support/fatal.h"
#include "support/min_max.h"

const struct spgc_type spgc_filler_word = {.size = SPGC_WORD_BYTES, .name = "filler of one word"};
const struct spgc_type spgc_filler_words = {.size = 2 * SPGC_WORD_BYTES,
                                            .element_size = SPGC_WORD_BYTES,
                                            .flags = SPGC_TYPE_TAIL,
                                            .name = "filler"};

void spgc_hole_allow_access(uintptr_t filler) {
  spgc_access_allow(filler + SPGC_HOLE_HEAD_BYTES, spgc_hole_bytes(filler) - SPGC_HOLE_HEAD_BYTES);
}

enum { PERCENT = 100 };

/* A marking in progress recounts `live` of a swept block. */
static size_t most_unused_bytes(const struct spgc_block *block) {
  return block->unswept ? SPGC_BLOCK_BYTES - block->live
                        : (size_t)block->hole_words * SPGC_WORD_BYTES;
}

/* For sums: the share of gaps in one block may differ. */
static size_t unused_bytes(const struct spgc_heap *heap, uint32_t index) {
  const struct spgc_block *block = &heap->blocks[index];
  size_t most = most_unused_bytes(block);
  return block->unswept ? most * heap->hole_percent / PERCENT : most;
}

void spgc_recyclable_set(struct spgc_heap *heap, uint32_t index) {
  heap->blocks[index].is_recyclable = true;
  heap->unused_bytes += unused_bytes(heap, index);
}

void spgc_recyclable_clear(struct spgc_heap *heap, uint32_t index) {
  if (heap->blocks[index].is_recyclable)
    heap->unused_bytes -= spgc_min(unused_bytes(heap, index), heap->unused_bytes);
  heap->blocks[index].is_recyclable = false;
}

void spgc_recyclable_return(struct spgc_heap *heap, uint32_t index) {
  spgc_recyclable_set(heap, index);
  if (index < heap->recyclable)
    __atomic_store_n(&heap->recyclable, index, __ATOMIC_RELAXED);
}

void spgc_recyclable_count(struct spgc_heap *heap) {
  size_t unused = 0;
  heap->unused_bytes = 0;
  /* Mutators move the low water mark. */
  for (uint32_t i = spgc_old_from(heap, heap->recyclable); i != SPGC_BLOCK_NONE;
       i = spgc_old_after(heap, i))
    if (heap->blocks[i].is_recyclable) {
      heap->unused_bytes += unused_bytes(heap, i);
      unused += SPGC_BLOCK_BYTES - heap->blocks[i].live;
    }
  if (unused != 0)
    heap->hole_percent = (uint32_t)spgc_min(heap->unused_bytes * PERCENT / unused, PERCENT);
}

/* Mutators may be taking a block of another space. */
static bool is_recyclable(const struct spgc_heap *heap, uint32_t index, size_t least_unused) {
  const struct spgc_block *block = &heap->blocks[index];
  return spgc_heap_space(heap, index) == SPGC_SPACE_OLD && block->is_recyclable &&
         most_unused_bytes(block) >= least_unused;
}

uint32_t spgc_recyclable_take(struct spgc_heap *heap, struct spgc_range some, bool is_sparse) {
  uint32_t *cursor = is_sparse ? &heap->sparse : &heap->recyclable;
  const size_t least_unused = is_sparse ? SPGC_LEAST_UNUSED : 0;
  const bool from_lowest = some.first <= *cursor;
  const uint32_t end = some.end < heap->boundary ? some.end : heap->boundary;
  uint32_t index = from_lowest ? *cursor : some.first;
  while (index < end && !is_recyclable(heap, index, least_unused))
    index++;
  bool is_found = index < end;
  if (is_found)
    spgc_recyclable_clear(heap, index);
  if (from_lowest)
    __atomic_store_n(cursor, spgc_old_from(heap, is_found ? index + 1 : index), __ATOMIC_RELAXED);
  return is_found ? index : SPGC_BLOCK_NONE;
}

static void open_plab(struct spgc_plab *plab, uint32_t index, uintptr_t from, size_t bytes,
                      uint16_t next_hole) {
  *plab = (struct spgc_plab){from, from + bytes, from, spgc_plab_given(plab), index, next_hole};
}

static bool open_next_hole(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes) {
  while (plab->next_hole != SPGC_NO_HOLE) {
    uintptr_t filler = spgc_hole_at(spgc_heap_block_start(heap, plab->block), plab->next_hole);
    uint16_t next = (uint16_t)*spgc_hole_next(filler);
    if (spgc_hole_bytes(filler) >= bytes) {
      __builtin_prefetch((void *)spgc_hole_at(spgc_heap_block_start(heap, plab->block), next), 1);
      if (heap->is_checked)
        spgc_hole_allow_access(filler);
      open_plab(plab, plab->block, filler, spgc_hole_bytes(filler), next);
      return true;
    }
    plab->next_hole = next;
  }
  return false;
}

/* Swept, and `bytes` may fit; or SPGC_BLOCK_NONE. */
static uint32_t take_recyclable_block(struct spgc_heap *heap, struct spgc_range recyclable,
                                      size_t bytes) {
  pthread_mutex_lock(&heap->lock);
  uint32_t index = spgc_recyclable_take(heap, recyclable, bytes > SPGC_LARGEST_IN_HOLE);
  pthread_mutex_unlock(&heap->lock);
  if (index != SPGC_BLOCK_NONE)
    spgc_sweep_block(heap, index);
  return index;
}

static void open_free_block(struct spgc_heap *heap, struct spgc_plab *plab) {
  pthread_mutex_lock(&heap->lock);
  uint32_t index = spgc_blocks_take_old(heap);
  pthread_mutex_unlock(&heap->lock);
  spgc_require(index != SPGC_BLOCK_NONE,
               "the copy reserve of the collection is used up (%u blocks in use)",
               heap->used_blocks);
  uintptr_t start = spgc_heap_block_start(heap, index);
  spgc_filler_write(start, SPGC_BLOCK_BYTES);
  open_plab(plab, index, start, SPGC_BLOCK_BYTES, SPGC_NO_HOLE);
}

void spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                      struct spgc_range recyclable) {
  while (!open_next_hole(heap, plab, bytes)) {
    uint32_t index = take_recyclable_block(heap, recyclable, bytes);
    if (index == SPGC_BLOCK_NONE) {
      open_free_block(heap, plab);
      return;
    }
    open_plab(plab, index, spgc_heap_block_start(heap, index), 0, heap->blocks[index].first_hole);
  }
}
