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

void spgc_recyclable_begin(struct spgc_heap *heap, uint32_t first) {
  for (int class = 0; class < SPGC_HOLE_CLASSES; class ++)
    heap->recyclable[class] = first;
  heap->unswept = first;
}

static void set_position(struct spgc_heap *heap, uint32_t class, uint32_t index) {
  __atomic_store_n(&heap->recyclable[class], index, __ATOMIC_RELAXED);
}

static void return_to_classes(struct spgc_heap *heap, uint32_t index, uint32_t classes) {
  for (uint32_t class = 0; class < classes; class ++)
    if (index < heap->recyclable[class])
      set_position(heap, class, index);
}

void spgc_recyclable_return(struct spgc_heap *heap, uint32_t index) {
  spgc_recyclable_set(heap, index);
  return_to_classes(heap, index, SPGC_HOLE_CLASSES);
}

void spgc_recyclable_leave(struct spgc_heap *heap, uint32_t index, size_t bytes) {
  uint32_t classes = spgc_hole_class(bytes);
  if (classes == 0 || heap->blocks[index].first_hole == SPGC_NO_HOLE)
    return;
  pthread_mutex_lock(&heap->lock);
  heap->blocks[index].is_recyclable = true; /* but only for smaller objects, so not as unused */
  return_to_classes(heap, index, classes);
  pthread_mutex_unlock(&heap->lock);
}

void spgc_recyclable_count(struct spgc_heap *heap) {
  size_t unused = 0;
  /* Mutators move the low water mark. */
  uint32_t first = spgc_old_from(heap, heap->recyclable[0]);
  heap->unused_bytes = 0;
  for (uint32_t i = first; i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (heap->blocks[i].is_recyclable) {
      heap->unused_bytes += unused_bytes(heap, i);
      unused += SPGC_BLOCK_BYTES - heap->blocks[i].live;
    }
  for (uint32_t class = 1; class < SPGC_HOLE_CLASSES; class ++)
    set_position(heap, class, first); /* now the sizes of all holes are known */
  if (unused != 0)
    heap->hole_percent = (uint32_t)spgc_min(heap->unused_bytes * PERCENT / unused, PERCENT);
}

static bool may_fit(const struct spgc_block *block, size_t bytes) {
  if (!block->unswept)
    return (size_t)block->largest_hole * SPGC_WORD_BYTES >= bytes;
  size_t expected = spgc_min(SPGC_EXPECTED_HOLE_PARTS * bytes, SPGC_BLOCK_BYTES / 2);
  return spgc_hole_class(bytes) == 0 || SPGC_BLOCK_BYTES - block->live >= expected;
}

/* Mutators may be taking a block of another space. */
static bool is_recyclable(const struct spgc_heap *heap, uint32_t index, size_t bytes) {
  const struct spgc_block *block = &heap->blocks[index];
  return spgc_heap_space(heap, index) == SPGC_SPACE_OLD && block->is_recyclable &&
         may_fit(block, bytes);
}

static uint32_t find(struct spgc_heap *heap, struct spgc_range some, size_t bytes) {
  const uint32_t class = spgc_hole_class(bytes), position = heap->recyclable[class];
  const bool from_lowest = some.first <= position;
  const uint32_t end = some.end < heap->boundary ? some.end : heap->boundary;
  uint32_t index = from_lowest ? position : some.first;
  while (index < end && !is_recyclable(heap, index, bytes))
    index++;
  bool is_found = index < end;
  if (is_found)
    spgc_recyclable_clear(heap, index);
  if (from_lowest)
    set_position(heap, class, spgc_old_from(heap, is_found ? index + 1 : index));
  return is_found ? index : SPGC_BLOCK_NONE;
}

uint32_t spgc_recyclable_take(struct spgc_heap *heap, struct spgc_range some, size_t bytes) {
  for (;;) {
    pthread_mutex_lock(&heap->lock);
    uint32_t index = find(heap, some, bytes);
    pthread_mutex_unlock(&heap->lock);
    if (index == SPGC_BLOCK_NONE)
      return SPGC_BLOCK_NONE;
    spgc_sweep_block(heap, index);
    if (may_fit(&heap->blocks[index], bytes))
      return index;
    spgc_recyclable_leave(heap, index, bytes);
  }
}

static void open_plab(struct spgc_plab *plab, uint32_t index, uintptr_t from, size_t bytes,
                      uint16_t next_hole) {
  *plab = (struct spgc_plab){from, from + bytes, from, spgc_plab_given(plab), index, next_hole};
}

static void keep_hole(struct spgc_heap *heap, uint32_t index, uintptr_t filler) {
  struct spgc_block *block = &heap->blocks[index];
  uint16_t words = (uint16_t)(spgc_hole_bytes(filler) / SPGC_WORD_BYTES);
  *spgc_hole_next(filler) = block->first_hole;
  block->first_hole = (uint16_t)((filler - spgc_heap_block_start(heap, index)) / SPGC_WORD_BYTES);
  block->hole_words += words;
  if (block->largest_hole < words)
    block->largest_hole = words;
}

/* Smaller holes stay with the block. */
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
    keep_hole(heap, plab->block, filler);
    plab->next_hole = next;
  }
  return false;
}

static void keep_rest(struct spgc_heap *heap, struct spgc_plab *plab) {
  if (plab->block != SPGC_BLOCK_NONE && plab->limit - plab->cursor >= heap->least_hole_bytes)
    keep_hole(heap, plab->block, plab->cursor);
  plab->limit = plab->cursor;
}

static void forget_holes(struct spgc_block *block) {
  block->first_hole = SPGC_NO_HOLE;
  block->hole_words = block->largest_hole = 0;
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
  forget_holes(&heap->blocks[index]);
  open_plab(plab, index, start, SPGC_BLOCK_BYTES, SPGC_NO_HOLE);
}

/* In a worker's share, which has no position of its own, a PLAB only moves forward. */
static struct spgc_range after_block(struct spgc_range recyclable, uint32_t block) {
  bool is_within = recyclable.first <= block && block < recyclable.end;
  return is_within && recyclable.first != SPGC_ALL_BLOCKS.first
             ? (struct spgc_range){block + 1, recyclable.end}
             : recyclable;
}

void spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                      struct spgc_range recyclable) {
  keep_rest(heap, plab);
  while (!open_next_hole(heap, plab, bytes)) {
    if (plab->block != SPGC_BLOCK_NONE)
      spgc_recyclable_leave(heap, plab->block, bytes);
    uint32_t index = spgc_recyclable_take(heap, after_block(recyclable, plab->block), bytes);
    if (index == SPGC_BLOCK_NONE) {
      open_free_block(heap, plab);
      return;
    }
    uint16_t first = heap->blocks[index].first_hole;
    forget_holes(&heap->blocks[index]);
    open_plab(plab, index, spgc_heap_block_start(heap, index), 0, first);
  }
}
