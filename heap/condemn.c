#include "heap/condemn.h"

#include "heap/blocks.h"
#include "heap/remembered/tables.h"

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

enum { CLASS_BYTES = SPGC_BLOCK_BYTES / 64, CLASSES = SPGC_BLOCK_BYTES / CLASS_BYTES + 1 };

static inline size_t class_of(const struct spgc_block *block) {
  return block->live / CLASS_BYTES;
}

/* Sparse blocks: those of all classes below `last`, and `left` bytes of those of `last`. */
struct selection {
  size_t most_live, last, left;
};

/* A block that was kept for pinned objects has no live bytes, because no marking counted them. */
static bool is_sparse(const struct spgc_block *block, size_t most_live) {
  return block->is_recyclable && block->live != 0 && block->live <= most_live;
}

/* The sparsest blocks, which make most room for each byte that is copied, as far as `free_blocks`
 * take the copies. */
static struct selection select_sparsest(const struct spgc_heap *heap, size_t most_live,
                                        size_t free_blocks) {
  size_t bytes_of[CLASSES] = {0};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (is_sparse(&heap->blocks[i], most_live))
      bytes_of[class_of(&heap->blocks[i])] += heap->blocks[i].live;
  struct selection selection = {most_live, 0, spgc_bytes_for_evacuation(free_blocks)};
  while (selection.last < CLASSES - 1 && bytes_of[selection.last] <= selection.left)
    selection.left -= bytes_of[selection.last++];
  return selection;
}

/* Whether a block is selected. Each block is asked about once, in the order of addresses. */
static bool take_selected(struct selection *selection, const struct spgc_block *block) {
  if (!is_sparse(block, selection->most_live) || class_of(block) > selection->last)
    return false;
  if (class_of(block) < selection->last)
    return true;
  bool fits = block->live <= selection->left;
  selection->left -= fits ? block->live : 0;
  return fits;
}

struct sum {
  size_t blocks, bytes;
};

static struct sum sum_of(const struct spgc_heap *heap, struct selection selection) {
  struct sum sum = {0, 0};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (take_selected(&selection, &heap->blocks[i])) {
      sum.blocks++;
      sum.bytes += heap->blocks[i].live;
    }
  return sum;
}

static void condemn_selected(struct spgc_heap *heap, struct selection selection) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (take_selected(&selection, &heap->blocks[i]))
      condemn_block(heap, i);
}

size_t spgc_condemn_sparse(struct spgc_heap *heap, struct spgc_sparse sparse, size_t free_blocks) {
  struct selection selection = select_sparsest(heap, sparse.most_live_bytes, free_blocks);
  struct sum sum = sum_of(heap, selection);
  if (!spgc_blocks_prepare(heap, spgc_blocks_for_evacuation(sum.bytes))) {
    free_blocks = spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES);
    selection = select_sparsest(heap, sparse.most_live_bytes, free_blocks);
    sum = sum_of(heap, selection);
  }
  if (sum.blocks < sparse.least_blocks)
    return 0;
  condemn_selected(heap, selection);
  spgc_heap_forget_plabs(heap);
  heap->recyclable = spgc_old_first(heap);
  return sum.bytes;
}
