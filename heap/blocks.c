#include "heap/blocks.h"

#include <string.h>

#include "heap/memory.h"
#include "support/fatal.h"

static void *block_memory(const struct spgc_heap *heap, uint32_t index) {
  return (void *)spgc_heap_block_start(heap, index);
}

static void enter_pool(struct spgc_heap *heap, uint32_t index, enum spgc_pool pool) {
  heap->blocks[index].pool = pool;
  if (pool == SPGC_POOL_READY)
    spgc_block_list_prepend(&heap->pools[pool], heap->blocks, index);
  else
    spgc_block_list_append(&heap->pools[pool], heap->blocks, index);
}

static void leave_pool(struct spgc_heap *heap, uint32_t index) {
  spgc_block_list_remove(&heap->pools[heap->blocks[index].pool], heap->blocks, index);
}

size_t spgc_blocks_accessible(const struct spgc_heap *heap) {
  return (size_t)heap->pools[SPGC_POOL_READY].count + heap->pools[SPGC_POOL_COLD].count;
}

/* Makes `added` more blocks accessible beyond the high-water mark. */
static bool extend(struct spgc_heap *heap, uint32_t added) {
  if (!spgc_memory_open(block_memory(heap, heap->high_water), (size_t)added << SPGC_BLOCK_SHIFT))
    return false;
  for (uint32_t i = 0; i < added; i++)
    enter_pool(heap, heap->high_water + i, SPGC_POOL_COLD);
  heap->high_water += added;
  return true;
}

/* Makes at least `count` more blocks accessible beyond the high-water mark. */
static bool grow(struct spgc_heap *heap, size_t count) {
  size_t left = heap->block_count - heap->high_water;
  if (count > left)
    return false;
  size_t batch = count < SPGC_COMMIT_BLOCKS ? SPGC_COMMIT_BLOCKS : count;
  return extend(heap, (uint32_t)(batch < left ? batch : left)) || (count < batch && extend(heap, (uint32_t)count));
}

/* Makes at most `count` more blocks accessible, and at least one; false when there is none to be had. */
static bool grow_some(struct spgc_heap *heap, size_t count) {
  size_t left = heap->block_count - heap->high_water;
  for (count = count < left ? count : left; count != 0; count /= 2)
    if (grow(heap, count))
      return true;
  return false;
}

static bool open_block(struct spgc_heap *heap, uint32_t index) {
  if (!spgc_memory_open(block_memory(heap, index), SPGC_BLOCK_BYTES))
    return false;
  leave_pool(heap, index);
  enter_pool(heap, index, SPGC_POOL_READY);
  return true;
}

bool spgc_blocks_prepare(struct spgc_heap *heap, size_t count) {
  while (spgc_blocks_accessible(heap) < count) {
    uint32_t closed = heap->pools[SPGC_POOL_CLOSED].first;
    bool more = closed != SPGC_BLOCK_NONE ? open_block(heap, closed) : grow_some(heap, count - spgc_blocks_accessible(heap));
    if (!more)
      return false;
  }
  return true;
}

/* A block's cards may have been dirtied in its former life. */
static void clean_cards(struct spgc_heap *heap, uint32_t index, size_t count) {
  memset(heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK, SPGC_CARD_CLEAN, count * SPGC_CARDS_PER_BLOCK);
}

static void account_taken(struct spgc_heap *heap, uint32_t index, uint32_t count) {
  clean_cards(heap, index, count);
  heap->used_blocks += count;
  if (heap->used_blocks > heap->peak_blocks)
    heap->peak_blocks = heap->used_blocks;
}

/* A block with pages, unless no more than `kept` have them. */
static uint32_t choose_free(const struct spgc_heap *heap, size_t kept) {
  const struct spgc_block_list *ready = &heap->pools[SPGC_POOL_READY], *cold = &heap->pools[SPGC_POOL_COLD];
  return cold->count == 0 || ready->count > kept ? ready->first : cold->first;
}

/* At least `in_hand` accessible blocks are left over. */
static uint32_t take(struct spgc_heap *heap, struct spgc_block_list *list, enum spgc_space space, size_t kept,
                     size_t in_hand) {
  if (!spgc_blocks_prepare(heap, kept + 1 + in_hand) && !spgc_blocks_prepare(heap, 1 + in_hand))
    return SPGC_BLOCK_NONE;
  uint32_t index = choose_free(heap, kept);
  if (heap->blocks[index].pool == SPGC_POOL_COLD)
    spgc_memory_populate(block_memory(heap, index), SPGC_BLOCK_BYTES);
  leave_pool(heap, index);
  struct spgc_block *block = &heap->blocks[index];
  block->top = block->crossings_top = block->live = 0;
  block->unswept = block->has_room = block->copies_wait = block->marks_wait = false;
  spgc_heap_set_space(heap, index, space);
  spgc_block_list_append(list, heap->blocks, index);
  account_taken(heap, index, 1);
  return index;
}

uint32_t spgc_blocks_take_nursery(struct spgc_heap *heap) {
  return take(heap, &heap->nursery, SPGC_SPACE_NURSERY, heap->kept_ready, SPGC_BLOCKS_IN_HAND);
}

uint32_t spgc_blocks_take_old(struct spgc_heap *heap) {
  uint32_t index = take(heap, &heap->old, SPGC_SPACE_OLD, 0, 0);
  if (index != SPGC_BLOCK_NONE)
    heap->blocks[index].top = SPGC_BLOCK_BYTES;
  return index;
}

/* First of `count` adjacent free blocks in [from, to), or SPGC_BLOCK_NONE. */
static uint32_t find_run_between(const struct spgc_heap *heap, uint32_t from, uint32_t to, size_t count) {
  size_t length = 0;
  for (uint32_t i = from; i < to; i++) {
    length = heap->spaces[i] == SPGC_SPACE_FREE ? length + 1 : 0;
    if (length == count)
      return i + 1 - (uint32_t)count;
  }
  return SPGC_BLOCK_NONE;
}

/* Next fit below the high-water mark; if there is none, the heap grows, and the run begins with the free blocks that
 * may lie at its end. */
static uint32_t find_run(struct spgc_heap *heap, size_t count) {
  uint32_t found = find_run_between(heap, heap->run_hint, heap->high_water, count);
  if (found == SPGC_BLOCK_NONE)
    found = find_run_between(heap, 0, heap->high_water, count);
  if (found != SPGC_BLOCK_NONE)
    return found;
  uint32_t first = heap->high_water;
  while (first > 0 && heap->spaces[first - 1] == SPGC_SPACE_FREE)
    first--;
  return grow(heap, count - (heap->high_water - first)) ? first : SPGC_BLOCK_NONE;
}

static bool open_run(struct spgc_heap *heap, uint32_t first, size_t count) {
  for (uint32_t i = first; i < first + count; i++)
    if (heap->blocks[i].pool == SPGC_POOL_CLOSED && !open_block(heap, i))
      return false;
  return true;
}

uint32_t spgc_blocks_take_run(struct spgc_heap *heap, size_t bytes) {
  size_t count = spgc_blocks_for(bytes);
  uint32_t first = find_run(heap, count);
  if (first == SPGC_BLOCK_NONE || !open_run(heap, first, count))
    return SPGC_BLOCK_NONE;
  for (uint32_t i = first; i < first + count; i++) {
    leave_pool(heap, i);
    spgc_heap_set_space(heap, i, SPGC_SPACE_LARGE_REST);
    heap->blocks[i].head = first;
  }
  spgc_heap_set_space(heap, first, SPGC_SPACE_NURSERY_LARGE);
  heap->blocks[first].run = (uint32_t)count;
  heap->blocks[first].large_bytes = bytes;
  heap->blocks[first].live = 0;
  heap->blocks[first].marks_wait = false;
  heap->run_hint = first + (uint32_t)count;
  spgc_block_list_append(&heap->nursery_large, heap->blocks, first);
  heap->large_blocks += (uint32_t)count;
  heap->nursery_large_blocks += (uint32_t)count;
  account_taken(heap, first, (uint32_t)count);
  return first;
}

static void poison_memory(void *start, size_t bytes) {
  uint64_t *words = start;
  for (size_t i = 0; i < bytes / sizeof *words; i++)
    words[i] = SPGC_POISON_WORD;
}

/* `bytes` were in use. Closing can be refused (a limit on mappings): the blocks then stay accessible and show the
 * pattern. */
static void free_blocks(struct spgc_heap *heap, uint32_t first, uint32_t count, size_t bytes) {
  enum spgc_pool pool = SPGC_POOL_READY;
  if (heap->poison) {
    poison_memory(block_memory(heap, first), bytes);
    if (spgc_memory_close(block_memory(heap, first), (size_t)count << SPGC_BLOCK_SHIFT))
      pool = SPGC_POOL_CLOSED;
  }
  for (uint32_t i = first; i < first + count; i++) {
    heap->spaces[i] = SPGC_SPACE_FREE;
    enter_pool(heap, i, pool);
  }
  heap->used_blocks -= count;
}

static void close_ready(struct spgc_heap *heap) {
  uint32_t index;
  while ((index = heap->pools[SPGC_POOL_READY].first) != SPGC_BLOCK_NONE) {
    if (!spgc_memory_close(block_memory(heap, index), SPGC_BLOCK_BYTES))
      return;
    leave_pool(heap, index);
    enter_pool(heap, index, SPGC_POOL_CLOSED);
  }
}

void spgc_blocks_free_condemned(struct spgc_heap *heap) {
  if (heap->poison)
    close_ready(heap);
  uint32_t index;
  while ((index = spgc_block_list_take_first(&heap->condemned, heap->blocks)) != SPGC_BLOCK_NONE)
    free_blocks(heap, index, 1, heap->blocks[index].top);
  while ((index = spgc_block_list_take_first(&heap->condemned_large, heap->blocks)) != SPGC_BLOCK_NONE) {
    heap->large_blocks -= heap->blocks[index].run;
    free_blocks(heap, index, heap->blocks[index].run, heap->blocks[index].large_bytes);
  }
}

/* Blocks freed together are neighbours on the list as in memory, so that one call does for many. Locked pages
 * stay. */
void spgc_blocks_discard_idle(struct spgc_heap *heap, uint32_t keep, uint32_t most) {
  const struct spgc_block_list *ready = &heap->pools[SPGC_POOL_READY];
  if (ready->count > most && ready->count - most > keep)
    keep = ready->count - most;
  while (ready->count > keep) {
    uint32_t first = ready->last, end = first; /* what is discarded together */
    do {
      uint32_t index = ready->last;
      leave_pool(heap, index);
      enter_pool(heap, index, SPGC_POOL_COLD);
      if (index == end)
        end++;
      else
        first--;
    } while (ready->count > keep && (ready->last == end || ready->last + 1 == first));
    spgc_memory_discard(block_memory(heap, first), (size_t)(end - first) << SPGC_BLOCK_SHIFT);
  }
}
