#include "heap/condemn.h"

#include "heap/blocks.h"
#include "heap/hole.h"
#include "heap/mark_bits.h"
#include "heap/remembered/tables.h"
#include "heap/sparsest.h"

/* Moves all blocks of a list to the end of another one, and into its space. */
static void transfer(struct spgc_heap *heap, struct spgc_block_list *from,
                     struct spgc_block_list *to, enum spgc_space space) {
  for (uint32_t i = from->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_heap_set_space(heap, i, space);
  spgc_block_list_splice(to, from, heap->blocks);
}

/* Their cards become clean, because nothing is young when they are old again. */
static void condemn_large(struct spgc_heap *heap, struct spgc_block_list *from) {
  for (uint32_t i = from->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_cards_clean(heap, i, heap->blocks[i].run);
  transfer(heap, from, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
}

void spgc_condemn_nursery(struct spgc_heap *heap) {
  transfer(heap, &heap->nursery, &heap->condemned, SPGC_SPACE_CONDEMNED);
  condemn_large(heap, &heap->nursery_large);
  heap->nursery_large_blocks = 0;
}

static void condemn_block(struct spgc_heap *heap, uint32_t index) {
  spgc_recyclable_clear(heap, index);
  spgc_heap_set_space(heap, index, SPGC_SPACE_CONDEMNED);
  spgc_block_list_append(&heap->condemned, heap->blocks, index);
  heap->old_blocks--;
}

void spgc_condemn_old(struct spgc_heap *heap) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    heap->blocks[i].was_old = true;
    condemn_block(heap, i);
  }
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    heap->blocks[i].was_old = true;
  condemn_large(heap, &heap->old_large);
  heap->old_large_bytes = 0;
  spgc_heap_forget_plabs(heap);
}

/* ---- Sparse blocks ---- */

/* A block kept for pinned objects has no live bytes, because no marking counted them. */
static int64_t weigh_sparse(const void *most_live_bytes, const struct spgc_heap *heap,
                            uint32_t index) {
  const struct spgc_block *block = &heap->blocks[index];
  bool is_sparse =
      block->is_recyclable && block->live != 0 && block->live <= *(const size_t *)most_live_bytes;
  return is_sparse ? (int64_t)block->live : SPGC_NOT_ELIGIBLE;
}

static struct spgc_sparsest select_sparse(const struct spgc_heap *heap,
                                          const size_t *most_live_bytes, size_t free_blocks) {
  return spgc_sparsest_select(heap, weigh_sparse, most_live_bytes,
                              spgc_bytes_for_evacuation(free_blocks));
}

size_t spgc_condemn_sparse(struct spgc_heap *heap, struct spgc_sparse sparse, size_t free_blocks) {
  struct spgc_sparsest sparsest = select_sparse(heap, &sparse.most_live_bytes, free_blocks);
  struct spgc_sparsest_sum sum = spgc_sparsest_sum(sparsest, heap);
  if (!spgc_blocks_prepare(heap, spgc_blocks_for_evacuation(sum.live_bytes))) {
    free_blocks = spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES);
    sparsest = select_sparse(heap, &sparse.most_live_bytes, free_blocks);
    sum = spgc_sparsest_sum(sparsest, heap);
  }
  if (sum.blocks < sparse.least_blocks)
    return 0;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (spgc_sparsest_take(&sparsest, heap, i))
      condemn_block(heap, i);
  spgc_heap_forget_plabs(heap);
  heap->recyclable = heap->sparse = spgc_old_first(heap);
  return sum.live_bytes;
}

/* ---- Candidates of a compaction ---- */

static int64_t work_of(const struct spgc_compaction_work *work, const struct spgc_block *block) {
  return (int64_t)((size_t)block->live * work->objects_per_block / SPGC_BLOCK_BYTES + 1);
}

static int64_t weigh_for_choice(const void *work, const struct spgc_heap *heap, uint32_t index) {
  const struct spgc_compaction_work *most = work;
  const struct spgc_block *block = &heap->blocks[index];
  bool is_eligible =
      block->is_recyclable && block->live != 0 && block->live <= most->most_live_bytes;
  return is_eligible ? work_of(most, block) : SPGC_NOT_ELIGIBLE;
}

void spgc_candidates_choose(struct spgc_heap *heap, const struct spgc_compaction_work *work) {
  enum { TIMES = 2 }; /* the budget: about half of the objects will have died */
  size_t most = work->budget > SIZE_MAX / TIMES ? SIZE_MAX : work->budget * TIMES;
  struct spgc_sparsest sparsest = spgc_sparsest_select(heap, weigh_for_choice, work, most);
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (spgc_sparsest_take(&sparsest, heap, i)) {
      spgc_recyclable_clear(heap, i);
      heap->blocks[i].leading_slots = 0;
      spgc_heap_set_space(heap, i, SPGC_SPACE_OLD_CANDIDATE);
      heap->candidate_blocks++;
    }
}

void spgc_candidates_forget(struct spgc_heap *heap) {
  if (heap->candidate_blocks == 0)
    return;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (spgc_heap_space(heap, i) == SPGC_SPACE_OLD_CANDIDATE)
      spgc_heap_set_space(heap, i, SPGC_SPACE_OLD);
  heap->candidate_blocks = 0;
}

static int64_t weigh_candidate(const void *work, const struct spgc_heap *heap, uint32_t index) {
  const struct spgc_block *block = &heap->blocks[index];
  return spgc_heap_space(heap, index) == SPGC_SPACE_OLD_CANDIDATE
             ? work_of(work, block) + block->leading_slots
             : SPGC_NOT_ELIGIBLE;
}

/* Its dead objects are not swept, because nobody reads them any more. */
static void condemn_candidate(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  condemn_block(heap, index);
  block->unswept = false;
  block->live = 0;
  spgc_mark_bits_clear(heap, index);
}

size_t spgc_condemn_candidates(struct spgc_heap *heap, const struct spgc_compaction_work *work,
                               size_t free_blocks) {
  struct spgc_sparsest sparsest;
  struct spgc_sparsest_sum sum;
  size_t budget = work->budget;
  do { /* if memory is short, less is moved */
    sparsest = spgc_sparsest_select(heap, weigh_candidate, work, budget);
    sum = spgc_sparsest_sum(sparsest, heap);
    budget /= 2;
  } while (sum.blocks != 0 &&
           (spgc_blocks_for_evacuation(sum.live_bytes) > free_blocks ||
            !spgc_blocks_prepare(heap, spgc_blocks_for_evacuation(sum.live_bytes))));
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (spgc_sparsest_take(&sparsest, heap, i))
      condemn_candidate(heap, i);
  heap->recyclable = heap->sparse = heap->unswept = spgc_old_first(heap);
  return sum.live_bytes;
}
