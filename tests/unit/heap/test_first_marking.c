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

START_TEST(a_marking_begins_without_touching_marks_that_were_never_set) {
  struct spgc_heap heap;
  struct spgc_marker marker;
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, false));
  ck_assert(spgc_marker_create(&marker, &heap));
  take_old_blocks(&heap);
  uint64_t before = world_resident_bytes();
  spgc_marker_begin(&marker, false);
  ck_assert_uint_lt(world_resident_bytes() - before, MARK_BYTES / 4);
  spgc_marker_abandon(&marker);
  ck_assert_uint_ge(world_resident_bytes() - before, MARK_BYTES);
  spgc_marker_destroy(&marker);
  spgc_heap_destroy(&heap);
}
END_TEST

/* A step over all of them would take as long as the heap is large. */
START_TEST(steps_touch_marks_a_few_pages_at_a_time) {
  enum { STEP_BYTES = 64 << 10, MOST_PAGES = 80 }; /* of bits, and a few others */
  struct spgc_heap heap;
  struct spgc_marker marker;
  ck_assert(spgc_heap_create(&heap, HEAP_BYTES, SIZE_MAX, false));
  ck_assert(spgc_marker_create(&marker, &heap));
  take_old_blocks(&heap);
  uint64_t first = world_resident_bytes();
  spgc_marker_begin(&marker, false);
  while (marker.next_untouched != SPGC_BLOCK_NONE) {
    uint64_t before = world_resident_bytes();
    spgc_marker_step(&marker, STEP_BYTES, false);
    ck_assert_uint_le(world_resident_bytes() - before, MOST_PAGES * spgc_memory_page_bytes());
  }
  ck_assert_uint_ge(world_resident_bytes() - first, MARK_BYTES);
  spgc_marker_abandon(&marker);
  spgc_marker_destroy(&marker);
  spgc_heap_destroy(&heap);
}
END_TEST

CHECK_MAIN("heap-first-marking", a_marking_begins_without_touching_marks_that_were_never_set,
           steps_touch_marks_a_few_pages_at_a_time)
