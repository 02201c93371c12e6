#include "check_main.h"
#include "heap/blocks.h"
#include "heap/heap.h"

enum { LIMIT_BLOCKS = 64, BLOCKS = 20 };

static void open_heap(struct spgc_heap *heap) {
  ck_assert(spgc_heap_create(heap, LIMIT_BLOCKS * SPGC_BLOCK_BYTES, SIZE_MAX, false));
  heap->is_checked = false; /* else they are taken in the order of freeing */
}

static uint32_t take_neighbours(struct spgc_heap *heap) {
  uint32_t first = spgc_blocks_take_nursery(heap);
  ck_assert_uint_ne(first, SPGC_BLOCK_NONE);
  for (uint32_t i = 1; i < BLOCKS; i++)
    ck_assert_uint_eq(spgc_blocks_take_nursery(heap), first + i);
  return first;
}

static void free_nursery(struct spgc_heap *heap) {
  spgc_block_list_splice(&heap->condemned, &heap->nursery, heap->blocks);
  spgc_blocks_free_condemned(heap);
}

START_TEST(blocks_of_a_nursery_are_taken_again_in_the_same_order) {
  struct spgc_heap heap;
  open_heap(&heap);
  uint32_t first = take_neighbours(&heap);
  for (int again = 0; again < 3; again++) {
    free_nursery(&heap);
    ck_assert_uint_eq(take_neighbours(&heap), first);
  }
  spgc_heap_destroy(&heap);
}
END_TEST

START_TEST(decommitted_blocks_are_taken_in_the_order_of_addresses) {
  struct spgc_heap heap;
  open_heap(&heap);
  uint32_t first = take_neighbours(&heap);
  free_nursery(&heap);
  spgc_blocks_discard_idle(&heap, 0, UINT32_MAX);
  ck_assert_uint_eq(heap.pools[SPGC_ZONE_SINGLES][SPGC_POOL_RESIDENT].count, 0);
  ck_assert_uint_eq(take_neighbours(&heap), first);
  spgc_heap_destroy(&heap);
}
END_TEST

CHECK_MAIN("heap-block-order", blocks_of_a_nursery_are_taken_again_in_the_same_order,
           decommitted_blocks_are_taken_in_the_order_of_addresses)
