#include "check_main.h"
#include "heap/blocks.h"
#include "heap/born_old.h"
#include "heap/condemn.h"
#include "heap/hole.h"
#include "heap/mark_bits.h"
#include "heap/sweep.h"
#include "heap_world.h"
#include "support/random.h"

enum { HEAP_BYTES = 64 << 20, BLOCKS = 20 };

static void open_heap(struct spgc_heap *heap, uint32_t least_hole_bytes) {
  ck_assert(spgc_heap_create(heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  heap->least_hole_bytes = least_hole_bytes;
  for (int i = 0; i < BLOCKS; i++) {
    uint32_t index = spgc_blocks_take_nursery(heap);
    ck_assert_uint_ne(index, SPGC_BLOCK_NONE);
    uintptr_t start = spgc_heap_block_start(heap, index);
    for (uint32_t at = 0; at + world_leaf.size <= SPGC_BLOCK_BYTES; at += world_leaf.size)
      spgc_object_set_header(spgc_ref_from_word(start + at), (uintptr_t)&world_leaf);
    heap->blocks[index].top = SPGC_BLOCK_BYTES / world_leaf.size * world_leaf.size;
  }
  spgc_promote_nursery(heap);
}

static void sweep(struct spgc_heap *heap) {
  struct spgc_random random = {1};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    uintptr_t start = spgc_heap_block_start(heap, i);
    for (uint32_t at = 0; at + world_leaf.size <= SPGC_BLOCK_BYTES; at += world_leaf.size)
      if (spgc_random_next(&random) % 3 == 0) {
        spgc_mark_bits_cover(heap, spgc_ref_from_word(start + at), world_leaf.size,
                             SPGC_TRACE_SERIAL);
        heap->blocks[i].live += world_leaf.size;
      }
  }
  spgc_sweep_begin(heap);
  ck_assert(!spgc_sweep_some(heap, UINT32_MAX));
}

struct holes {
  size_t least_bytes, words, counted_words;
};

static struct holes find_holes(const struct spgc_heap *heap) {
  struct holes holes = {SIZE_MAX, 0, 0};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    uintptr_t start = spgc_heap_block_start(heap, i);
    for (uint16_t hole = heap->blocks[i].first_hole; hole != SPGC_NO_HOLE;
         hole = (uint16_t)*spgc_hole_next(spgc_hole_at(start, hole))) {
      size_t bytes = spgc_hole_bytes(spgc_hole_at(start, hole));
      holes.words += bytes / SPGC_WORD_BYTES;
      if (bytes < holes.least_bytes)
        holes.least_bytes = bytes;
    }
    holes.counted_words += heap->blocks[i].hole_words;
  }
  return holes;
}

START_TEST(holes_are_as_large_as_the_heap_asks) {
  const uint32_t least[] = {SPGC_LEAST_HOLE_BYTES, SPGC_WORTHY_HOLE_BYTES};
  size_t words[2];
  for (int i = 0; i < 2; i++) {
    struct spgc_heap heap;
    open_heap(&heap, least[i]);
    sweep(&heap);
    struct holes holes = find_holes(&heap);
    ck_assert_uint_eq(holes.least_bytes, least[i]);
    words[i] = holes.words;
    spgc_heap_destroy(&heap);
  }
  ck_assert_uint_gt(words[0], words[1]);
}
END_TEST

START_TEST(the_words_of_holes_are_counted) {
  struct spgc_heap heap;
  struct spgc_born_old born_old;
  open_heap(&heap, SPGC_LEAST_HOLE_BYTES);
  sweep(&heap);
  struct holes before = find_holes(&heap);
  ck_assert_uint_eq(before.counted_words, before.words);
  spgc_born_old_create(&born_old);
  size_t taken = spgc_born_old_take(&heap, &born_old, 4 * world_leaf.size), used = 0, passed = 0;
  ck_assert_uint_gt(taken, 0);
  uintptr_t end = 0;
  for (int i = 0; i < 100 && spgc_born_old_next_hole(&heap, &born_old, end, 4 * world_leaf.size);
       i++) {
    spgc_object_set_header(spgc_ref_from_word(born_old.start), (uintptr_t)&world_leaf);
    size_t rest = born_old.limit - born_old.start - world_leaf.size;
    used += rest < SPGC_LEAST_HOLE_BYTES ? world_leaf.size + rest : world_leaf.size;
    end = born_old.start + world_leaf.size;
  }
  spgc_born_old_close(&heap, &born_old, end);
  ck_assert_uint_gt(used, 0);
  passed = born_old.passed_bytes;
  ck_assert_uint_eq(spgc_born_old_return(&heap, &born_old), taken - used);
  struct holes after = find_holes(&heap);
  ck_assert_uint_eq(after.counted_words * SPGC_WORD_BYTES,
                    before.words * SPGC_WORD_BYTES - used - passed);
  spgc_heap_destroy(&heap);
}
END_TEST

START_TEST(gaps_too_small_for_a_hole_do_not_count_as_unused) {
  struct spgc_heap heap;
  open_heap(&heap, SPGC_WORTHY_HOLE_BYTES);
  heap.keeps_marks = true;
  sweep(&heap);
  size_t bytes = find_holes(&heap).words * SPGC_WORD_BYTES;
  ck_assert_uint_eq(heap.unused_bytes, bytes);
  uint32_t percent = heap.hole_percent;
  ck_assert_uint_lt(percent, 100);
  spgc_sweep_begin(&heap);
  ck_assert_uint_eq(heap.hole_percent, percent);
  ck_assert_uint_le(heap.unused_bytes, bytes);
  ck_assert_uint_gt(heap.unused_bytes, bytes / 10 * 9);
  spgc_heap_destroy(&heap);
}
END_TEST

/* Marks each `step`-th leaf of the first `end` bytes of each block. */
static void mark(struct spgc_heap *heap, unsigned step, uint32_t end) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    uintptr_t start = spgc_heap_block_start(heap, i);
    heap->blocks[i].live = 0;
    for (uint32_t at = 0; at + world_leaf.size <= end; at += step * world_leaf.size) {
      spgc_mark_bits_cover(heap, spgc_ref_from_word(start + at), world_leaf.size,
                           SPGC_TRACE_SERIAL);
      heap->blocks[i].live += world_leaf.size;
    }
  }
}

START_TEST(sparse_blocks_are_found_after_a_sweep_without_holes) {
  struct spgc_heap heap;
  open_heap(&heap, SPGC_WORTHY_HOLE_BYTES);
  mark(&heap, 2, SPGC_BLOCK_BYTES);
  spgc_sweep_begin(&heap);
  ck_assert(!spgc_sweep_some(&heap, UINT32_MAX));
  ck_assert_uint_eq(heap.hole_percent, 0);
  mark(&heap, 2, SPGC_BLOCK_BYTES / 10);
  spgc_sweep_begin(&heap);
  ck_assert_uint_ne(spgc_recyclable_take(&heap, SPGC_ALL_BLOCKS, SPGC_LARGEST_SMALL),
                    SPGC_BLOCK_NONE);
  spgc_heap_destroy(&heap);
}
END_TEST

enum { SMALL_BYTES = 64, MIDDLE_BYTES = 512 };

static struct spgc_plab new_plab(void) {
  return (struct spgc_plab){.block = SPGC_BLOCK_NONE, .next_hole = SPGC_NO_HOLE};
}

START_TEST(holes_that_do_not_fit_an_object_are_left_to_smaller_ones) {
  struct spgc_heap heap;
  struct spgc_plab middle = new_plab(), small = new_plab();
  open_heap(&heap, SPGC_LEAST_HOLE_BYTES);
  mark(&heap, 2 * SMALL_BYTES / world_leaf.size, SPGC_BLOCK_BYTES);
  spgc_sweep_begin(&heap);
  ck_assert(!spgc_sweep_some(&heap, UINT32_MAX));
  uint32_t old_blocks = heap.old_blocks;
  spgc_plab_refill(&heap, &middle, MIDDLE_BYTES, SPGC_ALL_BLOCKS);
  ck_assert_uint_eq(heap.old_blocks, old_blocks + 1);
  spgc_plab_refill(&heap, &small, SMALL_BYTES, SPGC_ALL_BLOCKS);
  ck_assert_uint_eq(heap.old_blocks, old_blocks + 1);
  ck_assert_uint_ge(small.limit - small.cursor, SMALL_BYTES);
  spgc_heap_destroy(&heap);
}
END_TEST

/* An unswept block may have large holes, but has not, and a PLAB may leave the rest of its hole. */
START_TEST(a_block_that_a_plab_leaves_keeps_its_holes) {
  struct spgc_heap heap;
  struct spgc_plab middle = new_plab(), small = new_plab();
  open_heap(&heap, SPGC_LEAST_HOLE_BYTES);
  mark(&heap, 2 * SMALL_BYTES / world_leaf.size, SPGC_BLOCK_BYTES);
  spgc_sweep_begin(&heap);
  uint32_t first = spgc_old_first(&heap);
  spgc_plab_refill(&heap, &middle, MIDDLE_BYTES, SPGC_ALL_BLOCKS);
  ck_assert(!heap.blocks[first].unswept);
  spgc_plab_refill(&heap, &small, SMALL_BYTES, SPGC_ALL_BLOCKS);
  ck_assert_uint_eq(small.block, first);

  uint32_t left = middle.block;
  middle.cursor = middle.limit - MIDDLE_BYTES / 2;
  spgc_plab_fill(&middle);
  spgc_plab_refill(&heap, &middle, MIDDLE_BYTES, SPGC_ALL_BLOCKS);
  ck_assert_uint_ne(middle.block, left);
  ck_assert(heap.blocks[left].is_recyclable);
  ck_assert_uint_eq(heap.blocks[left].hole_words, MIDDLE_BYTES / 2 / SPGC_WORD_BYTES);
  ck_assert_uint_eq(heap.blocks[left].largest_hole, heap.blocks[left].hole_words);
  while (small.block != left) /* fills the other blocks first, or after */
    spgc_plab_refill(&heap, &small, SMALL_BYTES, SPGC_ALL_BLOCKS);
  ck_assert_uint_eq(small.limit - small.cursor, MIDDLE_BYTES / 2);
  spgc_heap_destroy(&heap);
}
END_TEST

START_TEST(filled_blocks_become_candidates_unless_copies_will_be_made_there) {
  struct spgc_compaction_work work = {SPGC_SPARSE_BYTES, SPGC_MOST_COMPACTED, false};
  struct spgc_heap heap;
  open_heap(&heap, SPGC_WORTHY_HOLE_BYTES);
  mark(&heap, 2, SPGC_BLOCK_BYTES / 2);
  spgc_sweep_begin(&heap);
  ck_assert(!spgc_sweep_some(&heap, UINT32_MAX));
  while (spgc_recyclable_take(&heap, SPGC_ALL_BLOCKS, SPGC_WORD_BYTES) != SPGC_BLOCK_NONE)
    ;
  uint32_t open = spgc_old_after(&heap, spgc_old_first(&heap));
  heap.workers[SPGC_MOST_WORKERS - 1].plabs[SPGC_PLABS - 1].block = open;
  spgc_candidates_choose(&heap, &work);
  ck_assert_uint_eq(heap.candidate_blocks, 0);
  work.takes_filled = true;
  spgc_candidates_choose(&heap, &work);
  ck_assert_uint_eq(heap.candidate_blocks, BLOCKS - 1);
  ck_assert_int_eq(spgc_heap_space(&heap, open), SPGC_SPACE_OLD);
  spgc_heap_destroy(&heap);
}
END_TEST

CHECK_MAIN("heap-holes", holes_are_as_large_as_the_heap_asks, the_words_of_holes_are_counted,
           gaps_too_small_for_a_hole_do_not_count_as_unused,
           sparse_blocks_are_found_after_a_sweep_without_holes,
           holes_that_do_not_fit_an_object_are_left_to_smaller_ones,
           a_block_that_a_plab_leaves_keeps_its_holes,
           filled_blocks_become_candidates_unless_copies_will_be_made_there)
