/* Blocks keep their contents while others of their page are given back. */
#include <string.h>

#include "check_main.h"
#include "heap/blocks.h"
#include "heap/heap.h"
#include "heap/memory.h"
#include "tests/support/random.h"

enum { LIMIT_BLOCKS = 64, MOST_TAKEN = 48, STEPS = 4000 };

struct taken {
  uint32_t blocks[MOST_TAKEN];
  unsigned count;
};

static uint64_t *words_of(const struct spgc_heap *heap, uint32_t block) {
  return (uint64_t *)spgc_heap_block_start(heap, block);
}

/* In each 4 KiB, and in the last word. */
static void write_number(const struct spgc_heap *heap, uint32_t block) {
  for (size_t i = 0; i < SPGC_BLOCK_BYTES / sizeof(uint64_t); i += 511)
    words_of(heap, block)[i] = block;
}

static void check_number(const struct spgc_heap *heap, uint32_t block) {
  for (size_t i = 0; i < SPGC_BLOCK_BYTES / sizeof(uint64_t); i += 511)
    ck_assert_uint_eq(words_of(heap, block)[i], block);
}

static void take(struct spgc_heap *heap, struct taken *taken) {
  uint32_t block = spgc_blocks_take_old(heap);
  ck_assert_uint_ne(block, SPGC_BLOCK_NONE);
  write_number(heap, block);
  taken->blocks[taken->count++] = block;
}

static void free_one(struct spgc_heap *heap, struct taken *taken, unsigned which) {
  uint32_t block = taken->blocks[which];
  taken->blocks[which] = taken->blocks[--taken->count];
  check_number(heap, block);
  heap->old_blocks--;
  spgc_block_list_append(&heap->condemned, heap->blocks, block);
  spgc_blocks_free_condemned(heap);
}

/* No run is this long, so free blocks are given back in vain. */
static void ask_for_too_much(struct spgc_heap *heap) {
  size_t bytes = (size_t)heap->block_count << SPGC_BLOCK_SHIFT;
  ck_assert_uint_eq(spgc_blocks_take_run(heap, bytes), SPGC_BLOCK_NONE);
}

static void check_pages(const struct spgc_heap *heap) {
  ck_assert_uint_eq(heap->low_water % heap->page_blocks, 0);
  ck_assert_uint_eq(heap->high_water % heap->page_blocks, 0);
  for (uint32_t i = heap->low_water; i < heap->high_water; i++) {
    uint32_t first = i - i % heap->page_blocks;
    bool is_protected =
        heap->spaces[i] == SPGC_SPACE_FREE && heap->blocks[i].pool == SPGC_POOL_PROTECTED;
    bool is_first_protected =
        heap->spaces[first] == SPGC_SPACE_FREE && heap->blocks[first].pool == SPGC_POOL_PROTECTED;
    ck_assert_int_eq(is_protected, is_first_protected);
  }
}

static uint32_t run_steps(struct spgc_heap *heap) {
  struct taken taken = {.count = 0};
  struct random random = {.state = 7};
  uint32_t most_protected = 0;
  for (unsigned step = 0; step < STEPS; step++) {
    unsigned what = (unsigned)random_below(&random, 16);
    if (what < 7 && taken.count < MOST_TAKEN)
      take(heap, &taken);
    else if (what < 14 && taken.count != 0)
      free_one(heap, &taken, (unsigned)random_below(&random, taken.count));
    else if (what == 14)
      spgc_blocks_discard_idle(heap, 1, (uint32_t)random_below(&random, 8));
    else if (what == 15)
      ask_for_too_much(heap);
    check_pages(heap);
    uint32_t protected_blocks = heap->pools[SPGC_ZONE_SINGLES][SPGC_POOL_PROTECTED].count;
    most_protected = protected_blocks > most_protected ? protected_blocks : most_protected;
  }
  for (unsigned i = 0; i < taken.count; i++)
    check_number(heap, taken.blocks[i]);
  return most_protected;
}

static void run_in_new_heap(bool poison) {
  struct spgc_heap heap;
  ck_assert(spgc_heap_create(&heap, LIMIT_BLOCKS * SPGC_BLOCK_BYTES, SIZE_MAX, poison));
  ck_assert_uint_eq(heap.page_blocks, PAGE_BYTES / SPGC_BLOCK_BYTES);
  ck_assert_uint_ge(run_steps(&heap), heap.page_blocks);
  spgc_heap_destroy(&heap);
}

START_TEST(blocks_keep_their_contents_beside_free_ones) {
  run_in_new_heap(false);
}
END_TEST

START_TEST(blocks_keep_their_contents_beside_poisoned_ones) {
  run_in_new_heap(true);
}
END_TEST

static uint32_t take_run(struct spgc_heap *heap, uint32_t blocks) {
  uint32_t first = spgc_blocks_take_run(heap, blocks * SPGC_BLOCK_BYTES);
  memset(words_of(heap, first), 0, blocks * SPGC_BLOCK_BYTES);
  return first;
}

static void condemn_runs(struct spgc_heap *heap) {
  spgc_block_list_splice(&heap->condemned_large, &heap->nursery_large, heap->blocks);
  heap->nursery_large_blocks = 0;
}

START_TEST(the_whole_pages_of_a_run_are_protected) {
  struct spgc_heap heap;
  ck_assert(spgc_heap_create(&heap, LIMIT_BLOCKS * SPGC_BLOCK_BYTES, SIZE_MAX, true));
  uint32_t first = take_run(&heap, 3);
  ck_assert_uint_eq(first % heap.page_blocks, 0);
  condemn_runs(&heap);
  ck_assert_uint_eq(take_run(&heap, 3), first + 3);
  spgc_blocks_free_condemned(&heap);
  ck_assert_int_eq(heap.blocks[first].pool, SPGC_POOL_PROTECTED);
  ck_assert_int_eq(heap.blocks[first + 1].pool, SPGC_POOL_PROTECTED);
  ck_assert_int_eq(heap.blocks[first + 2].pool, SPGC_POOL_RESIDENT);
  condemn_runs(&heap);
  spgc_blocks_free_condemned(&heap);
  for (uint32_t i = first; i < first + 6; i++)
    ck_assert_int_eq(heap.blocks[i].pool, SPGC_POOL_PROTECTED);
  ck_assert_uint_eq(take_run(&heap, 3), first);
  spgc_heap_destroy(&heap);
}
END_TEST

CHECK_MAIN("heap-large-pages", blocks_keep_their_contents_beside_free_ones,
           blocks_keep_their_contents_beside_poisoned_ones, the_whole_pages_of_a_run_are_protected)
