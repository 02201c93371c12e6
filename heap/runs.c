#include "heap/runs.h"

/* Four size classes for each power of two. */

static uint32_t log2_of(size_t length) {
  return 63 - (uint32_t)__builtin_clzll(length);
}

static uint32_t class_of(size_t length) {
  uint32_t log2 = log2_of(length);
  return 4 * log2 + (uint32_t)(log2 >= 2 ? length >> (log2 - 2) : length << (2 - log2)) % 4;
}

size_t spgc_runs_blocks(size_t limit_blocks) {
  return 3 * limit_blocks * log2_of(limit_blocks | 2);
}

void spgc_runs_create(struct spgc_heap *heap) {
  for (int class = 0; class < SPGC_RUN_CLASSES; class ++)
    heap->run_hints[class] = heap->boundary;
}

static bool is_free(const struct spgc_heap *heap, uint32_t index) {
  return heap->spaces[index] == SPGC_SPACE_FREE;
}

uint32_t spgc_runs_find(struct spgc_heap *heap, size_t count) {
  uint32_t class = class_of(count), first = SPGC_BLOCK_NONE, index = heap->run_hints[class];
  size_t least = (4 + (size_t)class % 4) << class / 4 >> 2;
  for (; index < heap->high_water; index += heap->blocks[index].run) {
    if (!is_free(heap, index) || heap->blocks[index].run < least)
      continue;
    if (first == SPGC_BLOCK_NONE)
      first = index;
    if (heap->blocks[index].run >= count)
      break;
  }
  heap->run_hints[class] = first != SPGC_BLOCK_NONE ? first : heap->high_water;
  return index < heap->high_water ? index : SPGC_BLOCK_NONE;
}

uint32_t spgc_runs_last(const struct spgc_heap *heap) {
  uint32_t last = heap->high_water - 1;
  return heap->high_water != heap->boundary && is_free(heap, last)
             ? heap->high_water - heap->blocks[last].head
             : 0;
}

static void write_tags(struct spgc_heap *heap, uint32_t first, uint32_t end) {
  heap->blocks[first].run = end - first;
  heap->blocks[end - 1].head = first;
}

void spgc_runs_take(struct spgc_heap *heap, uint32_t first, uint32_t count) {
  uint32_t end = first + heap->blocks[first].run;
  if (first + count != end)
    write_tags(heap, first + count, end);
  heap->blocks[first].run = count;
}

void spgc_runs_give(struct spgc_heap *heap, uint32_t first, uint32_t count) {
  uint32_t end = first + count;
  if (end < heap->high_water && is_free(heap, end))
    end += heap->blocks[end].run;
  if (first > heap->boundary && is_free(heap, first - 1))
    first = heap->blocks[first - 1].head;
  write_tags(heap, first, end);
  for (uint32_t i = 0; i < SPGC_RUN_CLASSES; i++) {
    uint32_t *hint = &heap->run_hints[i];
    if (*hint > first &&
        (i <= class_of(end - first) || *hint < end)) /* the run satisfies class i */
      *hint = first;
  }
}
