/* The crossing maps of blocks that were promoted in place, which the cycle's steps populate. */
#include "check_main.h"
#include "gc/trace/promote.h"
#include "heap/blocks.h"
#include "heap/crossing_map.h"
#include "heap/hole.h"
#include "heap/mark_bits.h"
#include "heap/sweep.h"
#include "heap_world.h"

enum { HEAP_BYTES = 64 << 20, BLOCKS = 20 };

/* Pairs from the first byte to the last that has room for one. */
static void fill(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  for (; block->top + world_pair.size <= SPGC_BLOCK_BYTES; block->top += world_pair.size) {
    uintptr_t pair = spgc_heap_block_start(heap, index) + block->top;
    spgc_object_set_header(spgc_ref_from_word(pair), (uintptr_t)&world_pair);
  }
}

static void promote_blocks(struct spgc_heap *heap) {
  for (int i = 0; i < BLOCKS; i++) {
    uint32_t index = spgc_blocks_take_nursery(heap);
    ck_assert_uint_ne(index, SPGC_BLOCK_NONE);
    fill(heap, index);
  }
  spgc_promote_nursery(heap);
  ck_assert_uint_eq(heap->old_blocks, BLOCKS);
}

static uint32_t count_populated(const struct spgc_heap *heap) {
  uint32_t count = 0;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    count += heap->blocks[i].crossing_map_top == SPGC_BLOCK_BYTES;
  return count;
}

static void check_map(struct spgc_heap *heap, uint32_t index) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  for (uint32_t card = 0; card < SPGC_CARDS_PER_BLOCK; card++) {
    uintptr_t first_byte = start + ((uintptr_t)card << SPGC_CARD_SHIFT);
    struct spgc_ref object = spgc_crossing_map_find(heap, index, card);
    ck_assert_uint_le(object.word, first_byte);
    ck_assert_uint_gt(spgc_object_next(object).word, first_byte);
  }
}

START_TEST(each_step_populates_the_maps_of_so_many_blocks) {
  struct spgc_heap heap;
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  promote_blocks(&heap);
  ck_assert_uint_eq(count_populated(&heap), 0);
  for (uint32_t count = 0; count < BLOCKS; count += 5) {
    ck_assert_uint_eq(count_populated(&heap), count);
    ck_assert_uint_ne(heap.awaiting_map, SPGC_BLOCK_NONE);
    spgc_crossing_map_populate_some(&heap, 5);
  }
  ck_assert_uint_eq(count_populated(&heap), BLOCKS);
  for (uint32_t i = spgc_old_first(&heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(&heap, i))
    check_map(&heap, i);
  spgc_crossing_map_populate_some(&heap, 1);
  ck_assert_uint_eq(heap.awaiting_map, SPGC_BLOCK_NONE);
  spgc_heap_destroy(&heap);
}
END_TEST

/* Freed while it waits: its next user, a PLAB or a mutator, populates no map ahead. */
START_TEST(a_block_that_was_freed_awaits_no_map) {
  struct spgc_heap heap;
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  promote_blocks(&heap);
  uint32_t freed = spgc_old_first(&heap);
  heap.old_blocks--;
  spgc_block_list_append(&heap.condemned, heap.blocks, freed);
  spgc_blocks_free_condemned(&heap);
  spgc_crossing_map_populate_some(&heap, UINT32_MAX);
  ck_assert_uint_eq(count_populated(&heap), BLOCKS - 1);
  while (heap.old_blocks < BLOCKS + 1)
    ck_assert_uint_ne(spgc_blocks_take_old(&heap), SPGC_BLOCK_NONE);
  spgc_crossing_map_populate_some(&heap, UINT32_MAX);
  ck_assert_uint_eq(count_populated(&heap), BLOCKS - 1);
  spgc_heap_destroy(&heap);
}
END_TEST

/* The mutator that fills its holes writes it while steps are taken. */
START_TEST(a_block_whose_holes_are_taken_awaits_no_map) {
  struct spgc_heap heap;
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  promote_blocks(&heap);
  for (uint32_t i = spgc_old_first(&heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(&heap, i)) {
    spgc_mark_bits_cover(&heap, spgc_heap_first_object(&heap, i), world_pair.size,
                         SPGC_TRACE_SERIAL);
    heap.blocks[i].live = (uint32_t)world_pair.size;
  }
  spgc_sweep_begin(&heap);
  ck_assert(!spgc_sweep_some(&heap, UINT32_MAX));
  uint32_t taken = spgc_recyclable_take(&heap);
  ck_assert_uint_ne(taken, SPGC_BLOCK_NONE);
  spgc_crossing_map_populate_some(&heap, UINT32_MAX);
  ck_assert_uint_eq(heap.blocks[taken].crossing_map_top, 0);
  ck_assert_uint_eq(count_populated(&heap), BLOCKS - 1);
  spgc_heap_destroy(&heap);
}
END_TEST

CHECK_MAIN("heap-crossing-map", each_step_populates_the_maps_of_so_many_blocks,
           a_block_that_was_freed_awaits_no_map, a_block_whose_holes_are_taken_awaits_no_map)
