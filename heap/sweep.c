#include "heap/sweep.h"

#include "heap/access_checker.h"
#include "heap/blocks.h"
#include "heap/hole.h"
#include "heap/mark_bits.h"
#include "heap/remembered/crossing_map.h"

struct chain {
  uintptr_t start;
  uint16_t first; /* or SPGC_NO_HOLE */
  uintptr_t last; /* or 0 */
  size_t words, largest;
  uint32_t card; /* where the crossing map gets the next filler */
};

static void append(struct chain *chain, uintptr_t filler, size_t words) {
  uint16_t index = (uint16_t)((filler - chain->start) / SPGC_WORD_BYTES);
  if (chain->last == 0)
    chain->first = index;
  else
    *spgc_hole_next(chain->last) = index;
  *spgc_hole_next(filler) = SPGC_NO_HOLE;
  chain->last = filler;
  chain->words += words;
  if (chain->largest < words)
    chain->largest = words;
}

static void fill(struct spgc_heap *heap, uint32_t index, struct chain *chain, size_t from,
                 size_t to) {
  uintptr_t start = chain->start + from * SPGC_WORD_BYTES,
            end = chain->start + to * SPGC_WORD_BYTES;
  bool is_hole = end - start >= heap->least_hole_bytes;
  uintptr_t body = start + (is_hole ? SPGC_HOLE_HEAD_BYTES : SPGC_FILLER_HEAD_BYTES);
  if (heap->is_checked)
    spgc_access_allow(start, end - start);
  spgc_filler_write(start, end - start);
  if (heap->poison)
    spgc_poison(start + SPGC_FILLER_HEAD_BYTES, end);
  if (is_hole)
    append(chain, start, to - from);
  if (heap->is_checked && body < end)
    spgc_access_forbid(body, end - body);
  chain->card = spgc_crossing_map_replace(heap, index, chain->card, start, end);
}

enum { WORDS = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES };

/* Reads mark bits only, because descriptors of dead objects may be gone; the record of vacated
 * objects distrusts them. */
static void fill_dead(struct spgc_heap *heap, uint32_t index) {
  const uint64_t *marks = heap->marks[index];
  const bool notes = heap->vacated.entries != NULL;
  struct chain chain = {.start = spgc_heap_block_start(heap, index), .first = SPGC_NO_HOLE};
  struct spgc_readable_pages pages;
  if (notes)
    memset(&pages, 0, sizeof pages);
  size_t live = 0, dead;
  while ((dead = spgc_mark_bits_next(marks, live, SPGC_MARK_BITS_CLEAR)) < WORDS) {
    live = spgc_mark_bits_next(marks, dead, SPGC_MARK_BITS_SET);
    if (notes)
      spgc_vacated_note(heap, &pages, heap->blocks[index].vacated_by,
                        chain.start + dead * SPGC_WORD_BYTES, chain.start + live * SPGC_WORD_BYTES);
    fill(heap, index, &chain, dead, live);
  }
  heap->blocks[index].first_hole = chain.first;
  heap->blocks[index].hole_words = (uint16_t)chain.words;
  heap->blocks[index].largest_hole = (uint16_t)chain.largest;
}

void spgc_sweep_block(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  if (!block->unswept)
    return;
  block->first_hole = SPGC_NO_HOLE;
  block->hole_words = block->largest_hole = 0;
  if (block->live != SPGC_BLOCK_BYTES)
    fill_dead(heap, index);
  if (!heap->keeps_marks)
    spgc_mark_bits_clear(heap, index);
  block->unswept = false;
}

void spgc_sweep_later(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  block->unswept = true;
  block->vacated_by = heap->collection;
  block->is_recyclable = false;
  if (SPGC_BLOCK_BYTES - block->live >= heap->least_hole_bytes)
    spgc_recyclable_set(heap, index);
}

static void begin_small(struct spgc_heap *heap) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    if (heap->blocks[i].live == 0) {
      heap->old_blocks--;
      spgc_block_list_append(&heap->condemned, heap->blocks, i);
    } else {
      spgc_sweep_later(heap, i);
    }
  }
}

static void begin_large(struct spgc_heap *heap) {
  uint32_t next;
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = next) {
    next = heap->blocks[i].next;
    if (spgc_mark_bit_is_set(heap, spgc_heap_first_object(heap, i))) {
      if (!heap->keeps_marks)
        spgc_mark_bits_clear(heap, i);
    } else {
      spgc_block_list_remove(&heap->old_large, heap->blocks, i);
      spgc_block_list_append(&heap->condemned_large, heap->blocks, i);
      spgc_heap_set_space(heap, i, SPGC_SPACE_CONDEMNED_LARGE);
      heap->old_large_bytes -= heap->blocks[i].large_bytes;
    }
  }
}

void spgc_sweep_begin(struct spgc_heap *heap) {
  heap->unused_bytes = 0;
  begin_small(heap);
  begin_large(heap);
  spgc_blocks_free_condemned(heap);
  spgc_heap_forget_plabs(heap);
  spgc_recyclable_begin(heap, spgc_old_first(heap));
}

bool spgc_sweep_some(struct spgc_heap *heap, uint32_t count) {
  if (heap->unswept == SPGC_BLOCK_NONE)
    return false;
  for (; count != 0 && heap->unswept != SPGC_BLOCK_NONE; count--) {
    spgc_sweep_block(heap, heap->unswept);
    heap->unswept = spgc_old_after(heap, heap->unswept);
  }
  if (heap->unswept == SPGC_BLOCK_NONE)
    spgc_recyclable_count(heap);
  return heap->unswept != SPGC_BLOCK_NONE;
}
