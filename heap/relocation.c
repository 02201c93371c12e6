#include "heap/relocation.h"

#include "heap/blocks.h"
#include "heap/hole.h"
#include "heap/sweep.h"

enum { WORDS = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES };

struct destination {
  uint32_t index; /* or SPGC_BLOCK_NONE, as if it were full */
  size_t words;   /* used */
};

void spgc_relocation_spare(struct spgc_heap *heap, uint32_t index) {
  spgc_block_list_remove(&heap->condemned, heap->blocks, index);
  spgc_heap_set_space(heap, index, SPGC_SPACE_OLD);
  heap->old_blocks++;
  heap->used_blocks++;
  spgc_sweep_later(heap, index);
}

/* Like any block after a marking. The record of vacated objects reads what the sweep finds dead. */
static void close_destination(struct spgc_heap *heap, const struct destination *destination) {
  if (destination->index == SPGC_BLOCK_NONE)
    return;
  const size_t used = destination->words * SPGC_WORD_BYTES;
  if (heap->vacated.entries != NULL && used != SPGC_BLOCK_BYTES)
    spgc_filler_write(spgc_heap_block_start(heap, destination->index) + used,
                      SPGC_BLOCK_BYTES - used);
  for (size_t word = 0; word < destination->words; word += SPGC_MARK_BITS)
    heap->marks[destination->index][word / SPGC_MARK_BITS] =
        spgc_mark_bits_ones(destination->words - word);
  heap->blocks[destination->index].live = (uint32_t)used;
  spgc_sweep_later(heap, destination->index);
}

static size_t count_live(const struct spgc_heap *heap, uint32_t index) {
  struct spgc_relocation *relocation = &heap->relocations[index];
  size_t live = 0;
  for (size_t i = 0; i < SPGC_MARK_WORDS; i++) {
    relocation->live_before[i] = (uint16_t)live;
    live += (size_t)__builtin_popcountll(heap->marks[index][i]);
  }
  return live;
}

/* The objects before the split have `fit` words. */
struct split {
  size_t word, fit;
};

static struct split find_split(const struct spgc_heap *heap, uint32_t index, size_t most) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  struct split split = {spgc_mark_bits_next(heap->marks[index], 0, SPGC_MARK_BITS_SET), 0};
  for (;;) {
    struct spgc_ref object = {start + split.word * SPGC_WORD_BYTES};
    size_t words = spgc_object_bytes(object, spgc_object_type(object)) / SPGC_WORD_BYTES;
    if (split.fit + words > most)
      return split;
    split.fit += words;
    split.word = spgc_mark_bits_next(heap->marks[index], split.word + words, SPGC_MARK_BITS_SET);
  }
}

static struct split fit(const struct spgc_heap *heap, uint32_t index, size_t left) {
  size_t live = heap->blocks[index].live / SPGC_WORD_BYTES;
  if (live <= left)
    return (struct split){WORDS, live};
  return left == 0 ? (struct split){0, 0} : find_split(heap, index, left);
}

/* Large objects may need as many blocks as they have. */
static bool packing_gains(const struct spgc_heap *heap) {
  uint32_t taken = 0;
  size_t left = 0;
  for (uint32_t i = heap->condemned.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    struct split split = fit(heap, i, left);
    left -= split.fit;
    if (split.word == WORDS)
      continue;
    taken++;
    left = WORDS - (heap->blocks[i].live / SPGC_WORD_BYTES - split.fit);
  }
  return taken < heap->condemned.count;
}

/* False if the system refuses a block. */
static bool assign(struct spgc_heap *heap, uint32_t index, struct destination *destination) {
  struct spgc_relocation *relocation = &heap->relocations[index];
  size_t live = count_live(heap, index);
  struct split split = fit(heap, index, WORDS - destination->words);
  relocation->to[0] =
      spgc_heap_block_start(heap, destination->index) + destination->words * SPGC_WORD_BYTES;
  relocation->split = (uint16_t)split.word;
  destination->words += split.fit;
  if (split.word == WORDS)
    return true;
  uint32_t next = spgc_blocks_take_destination(heap);
  if (next == SPGC_BLOCK_NONE) {
    destination->words -= split.fit;
    return false;
  }
  close_destination(heap, destination);
  *destination = (struct destination){next, live - split.fit};
  relocation->to[1] = spgc_heap_block_start(heap, next) - split.fit * SPGC_WORD_BYTES;
  return true;
}

struct spgc_relocation_plan spgc_relocation_plan(struct spgc_heap *heap, size_t most_blocks,
                                                 bool must_gain) {
  for (uint32_t i = heap->low_water; i < heap->boundary; i++)
    heap->blocks[i].is_fresh = false;
  struct destination destination = {SPGC_BLOCK_NONE, WORDS};
  struct spgc_relocation_plan plan = {0};
  const bool is_useless = must_gain && !packing_gains(heap);
  uint32_t next;
  for (uint32_t i = heap->condemned.first; i != SPGC_BLOCK_NONE; i = next) {
    next = heap->blocks[i].next;
    plan.is_refused = plan.is_refused || (!is_useless && !assign(heap, i, &destination));
    if (is_useless || plan.is_refused)
      spgc_relocation_spare(heap, i);
    else
      plan.bytes += heap->blocks[i].live;
  }
  close_destination(heap, &destination);
  size_t blocks = (size_t)heap->used_blocks + heap->condemned.count;
  heap->excess_blocks = blocks > most_blocks ? (uint32_t)(blocks - most_blocks) : 0;
  spgc_heap_forget_plabs(heap);
  spgc_recyclable_begin(heap, spgc_old_first(heap));
  return plan;
}
