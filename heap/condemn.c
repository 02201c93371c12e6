#include "heap/condemn.h"

#include "heap/blocks.h"
#include "heap/hole.h"
#include "heap/mark_bits.h"
#include "heap/remembered/new_large.h"
#include "support/min_max.h"

static void transfer(struct spgc_heap *heap, struct spgc_block_list *from,
                     struct spgc_block_list *to, enum spgc_space space) {
  for (uint32_t i = from->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_heap_set_space(heap, i, space);
  spgc_block_list_splice(to, from, heap->blocks);
}

void spgc_condemn_nursery(struct spgc_heap *heap) {
  transfer(heap, &heap->nursery, &heap->condemned, SPGC_SPACE_CONDEMNED);
  for (uint32_t i = heap->nursery_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_new_large_hold(heap, i);
  transfer(heap, &heap->nursery_large, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
  heap->nursery_large_blocks = 0;
}

size_t spgc_promote_nursery(struct spgc_heap *heap) {
  size_t bytes = 0;
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    uint32_t top = heap->blocks[i].top;
    bytes += top;
    if (top != SPGC_BLOCK_BYTES)
      spgc_filler_write(spgc_heap_block_start(heap, i) + top, SPGC_BLOCK_BYTES - top);
    heap->blocks[i].top = SPGC_BLOCK_BYTES;
    heap->spaces[i] = SPGC_SPACE_OLD;
    spgc_cards_clean(heap, i, 1); /* nothing is young, and young blocks have no deferred card */
  }
  for (uint32_t i = heap->nursery_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    heap->spaces[i] = SPGC_SPACE_OLD_LARGE;
    heap->old_large_bytes += heap->blocks[i].large_bytes;
    bytes += heap->blocks[i].large_bytes;
    spgc_new_large_becomes_old(heap, i);
  }
  heap->old_blocks += heap->nursery.count;
  heap->nursery = spgc_block_list_empty();
  spgc_block_list_splice(&heap->old_large, &heap->nursery_large, heap->blocks);
  heap->nursery_large_blocks = 0;
  return bytes;
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
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    heap->blocks[i].was_old = true;
    spgc_cards_clean(heap, i, heap->blocks[i].run); /* nothing is young when it is old again */
  }
  transfer(heap, &heap->old_large, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
  heap->old_large_bytes = 0;
  spgc_heap_forget_plabs(heap);
}

enum {
  NOT_ELIGIBLE = -1,
  CLASS_BYTES = SPGC_BLOCK_BYTES / 64,
  CLASSES = SPGC_BLOCK_BYTES / CLASS_BYTES + 1,
};

/* Its share of the capacity, or NOT_ELIGIBLE. */
typedef int64_t weigh_block(const void *context, const struct spgc_heap *heap, uint32_t index);

/* All eligible blocks of the classes, by live bytes, below `last`, and of class `last` as many as
 * fit `left`. */
struct selection {
  weigh_block *weigh;
  const void *context;
  size_t last, left;
  size_t blocks, live_bytes;
};

static size_t class_of(const struct spgc_heap *heap, uint32_t index) {
  return heap->blocks[index].live / CLASS_BYTES;
}

/* Called in address order. */
static bool selects(struct selection *selection, const struct spgc_heap *heap, uint32_t index) {
  int64_t weight = selection->weigh(selection->context, heap, index);
  if (weight == NOT_ELIGIBLE || class_of(heap, index) > selection->last)
    return false;
  if (class_of(heap, index) < selection->last)
    return true;
  bool fits = (size_t)weight <= selection->left;
  selection->left -= fits ? (size_t)weight : 0;
  return fits;
}

/* Evacuating the sparsest blocks makes the most room for each byte copied. */
static struct selection select_sparsest(const struct spgc_heap *heap, weigh_block *weigh,
                                        const void *context, size_t capacity) {
  size_t weight_of[CLASSES] = {0};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    int64_t weight = weigh(context, heap, i);
    if (weight != NOT_ELIGIBLE)
      weight_of[class_of(heap, i)] += (size_t)weight;
  }
  struct selection selection = {.weigh = weigh, .context = context, .left = capacity};
  while (selection.last < CLASSES - 1 && weight_of[selection.last] <= selection.left)
    selection.left -= weight_of[selection.last++];
  struct selection counted = selection;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (selects(&counted, heap, i)) {
      selection.blocks++;
      selection.live_bytes += heap->blocks[i].live;
    }
  return selection;
}

static int64_t weigh_sparse(const void *sparse, const struct spgc_heap *heap, uint32_t index) {
  size_t live = heap->blocks[index].live;
  return live <= ((const struct spgc_sparse *)sparse)->most_live_bytes
             ? (int64_t)(SPGC_BLOCK_BYTES - live)
             : NOT_ELIGIBLE;
}

bool spgc_condemn_sparse(struct spgc_heap *heap, struct spgc_sparse sparse) {
  struct selection selection = select_sparsest(heap, weigh_sparse, &sparse, sparse.unused_bytes);
  if (selection.blocks * SPGC_BLOCK_BYTES - selection.live_bytes < SPGC_BLOCK_BYTES)
    return false;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (selects(&selection, heap, i)) {
      condemn_block(heap, i);
      spgc_heap_set_space(heap, i, SPGC_SPACE_RELOCATING);
      heap->blocks[i].pool = SPGC_POOL_RESIDENT;
      heap->used_blocks--; /* its objects' destinations will be counted */
    }
  return true;
}

enum { COPIED_BYTES = 512 }; /* copying them takes as long as updating a slot */

static int64_t work_of(const struct spgc_block *block, size_t objects_and_slots) {
  return (int64_t)(objects_and_slots + block->live / COPIED_BYTES + 1);
}

static int64_t weigh_for_choice(const void *work, const struct spgc_heap *heap, uint32_t index) {
  const struct spgc_compaction_work *most = work;
  const struct spgc_block *block = &heap->blocks[index];
  /* No marking counted the live bytes of a block kept for pinned objects. */
  bool is_sparse = block->live != 0 && block->live <= most->most_live_bytes;
  return is_sparse && (block->is_recyclable || most->takes_filled)
             ? work_of(block, block->live / heap->bytes_per_work)
             : NOT_ELIGIBLE;
}

/* Copies will be made in it. */
static bool is_open(const struct spgc_heap *heap, uint32_t index) {
  for (int worker = 0; worker < SPGC_MOST_WORKERS; worker++)
    for (int i = 0; i < SPGC_PLABS; i++)
      if (heap->workers[worker].plabs[i].block == index)
        return true;
  return false;
}

void spgc_candidates_choose(struct spgc_heap *heap, const struct spgc_compaction_work *work) {
  enum { TIMES = 2 }; /* half of the objects will have died */
  if (!spgc_recorded_open(&heap->recorded))
    return;
  size_t most = work->budget > SIZE_MAX / TIMES ? SIZE_MAX : work->budget * TIMES;
  struct selection selection = select_sparsest(heap, weigh_for_choice, work, most);
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (selects(&selection, heap, i) && !is_open(heap, i)) {
      spgc_recyclable_clear(heap, i);
      heap->blocks[i].evacuation_work = 0;
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

static bool is_candidate(const struct spgc_heap *heap, uint32_t index) {
  return spgc_heap_space(heap, index) == SPGC_SPACE_OLD_CANDIDATE;
}

static int64_t weigh_candidate(const void *work, const struct spgc_heap *heap, uint32_t index) {
  (void)work;
  const struct spgc_block *block = &heap->blocks[index];
  return is_candidate(heap, index) ? work_of(block, block->evacuation_work) : NOT_ELIGIBLE;
}

static void learn_work(struct spgc_heap *heap) {
  size_t live = 0, work = 1;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (is_candidate(heap, i)) {
      live += heap->blocks[i].live;
      work += heap->blocks[i].evacuation_work;
    }
  if (live != 0)
    heap->bytes_per_work = spgc_min(live / work + 1, COPIED_BYTES);
}

size_t spgc_condemn_candidates(struct spgc_heap *heap, const struct spgc_compaction_work *work,
                               size_t free_blocks) {
  if (heap->candidate_blocks == 0)
    return 0;
  learn_work(heap);
  if (!spgc_candidates_are_recorded(heap))
    return 0;
  struct selection selection;
  size_t budget = work->budget;
  do { /* if memory is short, less is moved */
    selection = select_sparsest(heap, weigh_candidate, work, budget);
    budget /= 2;
  } while (selection.blocks != 0 &&
           (spgc_blocks_for_evacuation(selection.live_bytes) > free_blocks ||
            !spgc_blocks_prepare(heap, spgc_blocks_for_evacuation(selection.live_bytes))));
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (selects(&selection, heap, i)) {
      condemn_block(heap, i);
      heap->blocks[i].unswept = false; /* its dead objects are not read any more */
      heap->blocks[i].live = 0;
      spgc_mark_bits_clear(heap, i);
    }
  spgc_recyclable_begin(heap, spgc_old_first(heap));
  return selection.live_bytes;
}
