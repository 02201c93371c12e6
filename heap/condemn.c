#include "heap/condemn.h"

#include "heap/blocks.h"
#include "heap/card.h"

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

void spgc_restore_nursery(struct spgc_heap *heap) {
  transfer(heap, &heap->condemned, &heap->nursery, SPGC_SPACE_NURSERY);
  transfer(heap, &heap->condemned_large, &heap->nursery_large, SPGC_SPACE_NURSERY_LARGE);
  for (uint32_t i = heap->nursery_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    heap->nursery_large_blocks += heap->blocks[i].run;
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

/* Old blocks with at most `most_live` live bytes, the first in the order of addresses. */
struct found {
  size_t most_live, bytes;
  uint32_t count;
};

/* Finds as many blocks as can be copied to `free_blocks`. */
static struct found find_sparse(const struct spgc_heap *heap, size_t most_live,
                                size_t free_blocks) {
  struct found sparse = {most_live, 0, 0};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    size_t bytes = sparse.bytes + heap->blocks[i].live;
    if (heap->blocks[i].live > most_live)
      continue;
    if (spgc_blocks_for_evacuation(bytes) > free_blocks)
      break;
    sparse.bytes = bytes;
    sparse.count++;
  }
  return sparse;
}

size_t spgc_condemn_sparse(struct spgc_heap *heap, struct spgc_sparse sparse, size_t free_blocks) {
  struct found found = find_sparse(heap, sparse.most_live_bytes, free_blocks);
  if (!spgc_blocks_prepare(heap, spgc_blocks_for_evacuation(found.bytes)))
    found =
        find_sparse(heap, sparse.most_live_bytes, spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES));
  if (found.count < sparse.least_blocks)
    return 0;
  for (uint32_t i = spgc_old_first(heap); found.count != 0; i = spgc_old_after(heap, i)) {
    if (heap->blocks[i].live > found.most_live)
      continue;
    condemn_block(heap, i);
    found.count--;
  }
  spgc_heap_forget_plabs(heap);
  heap->recyclable = spgc_old_first(heap);
  return found.bytes;
}
