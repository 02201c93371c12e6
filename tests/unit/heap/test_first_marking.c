/* Options do not change it. */
#include "check_main.h"
#include "gc/trace/mark.h"
#include "heap/blocks.h"
#include "heap/condemn.h"
#include "heap/memory.h"
#include "heap_world.h"

enum {
  HEAP_BYTES = 512 << 20,
  BLOCKS = 2048,
  MARK_BYTES = BLOCKS * sizeof(spgc_mark_words), /* 1 MiB */
};

static void take_old_blocks(struct spgc_heap *heap) {
  for (int i = 0; i < BLOCKS / 2; i++)
    ck_assert_uint_ne(spgc_blocks_take_old(heap), SPGC_BLOCK_NONE);
  for (int i = 0; i < BLOCKS / 2; i++) {
    uint32_t run = spgc_blocks_take_run(heap, SPGC_BLOCK_BYTES);
    ck_assert_uint_ne(run, SPGC_BLOCK_NONE);
    spgc_object_set_header(spgc_heap_first_object(heap, run), (uintptr_t)&world_leaf);
  }
  spgc_promote_nursery(heap);
}

START_TEST(marks_have_memory_before_a_marking) {
  struct spgc_heap heap;
  struct spgc_marker marker;
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, false));
  ck_assert(spgc_marker_create(&marker, &heap));
  take_old_blocks(&heap);
  uint64_t before = world_resident_bytes();
  spgc_marker_begin(&marker, false);
  ck_assert_uint_lt(world_resident_bytes() - before, MARK_BYTES / 4);
  spgc_marker_abandon(&marker);
  ck_assert_uint_lt(world_resident_bytes() - before, MARK_BYTES / 4);
  spgc_marker_destroy(&marker);
  spgc_heap_destroy(&heap);
}
END_TEST

CHECK_MAIN("heap-first-marking", marks_have_memory_before_a_marking)
