/* A full collection packs the objects of sparse blocks into other blocks, in address order
 * (docs/collections.md, "Full collection"), as in Kermany and Petrank, "The Compressor: concurrent,
 * incremental, and parallel compaction" (PLDI 2006).
 *
 *   spgc_condemn_sparse               after spgc_sweep_begin: which blocks
 *   spgc_relocation_spare             those that must stay after all
 *   spgc_relocation_plan              takes the blocks that the objects go to
 *   spgc_evacuation_relocate          gc/trace/parallel_scan.c: moves objects and updates fields
 *   spgc_relocation_address           the new address, until the blocks are freed
 *   spgc_blocks_free_condemned
 *
 *   new address = to[word >= split] + live bytes of the block before the object
 *
 * Invariants, while a block is in SPGC_SPACE_RELOCATING:
 *   its mark bits tell its live objects, and nothing else changes them;
 *   it is not counted in used_blocks, because the blocks that its objects go to are. */
#ifndef SPGC_HEAP_RELOCATION_H
#define SPGC_HEAP_RELOCATION_H

#include "heap/mark_bits.h"

/* `word` is the address of a live object in a relocating block. */
SPGC_INLINE uintptr_t spgc_relocation_address(const struct spgc_heap *heap, uintptr_t word) {
  uint32_t index = spgc_heap_block_of(heap, word);
  const struct spgc_relocation *relocation = &heap->relocations[index];
  size_t at = (word - spgc_heap_block_start(heap, index)) / SPGC_WORD_BYTES;
  uint64_t before =
      heap->marks[index][at / SPGC_MARK_BITS] & spgc_mark_bits_ones(at % SPGC_MARK_BITS);
  size_t live =
      (size_t)relocation->live_before[at / SPGC_MARK_BITS] + (size_t)__builtin_popcountll(before);
  return relocation->to[at >= relocation->split] + live * SPGC_WORD_BYTES;
}

/* Blocks must stay if an object in them is pinned. */
void spgc_relocation_spare(struct spgc_heap *heap, uint32_t index);

struct spgc_relocation_plan {
  size_t bytes; /* to move */
  bool is_refused;
};

/* Spares the blocks for whose objects memory is refused, and with `must_gain` all, if their objects
 * need as many. If the heap would have more than `most_blocks`, emptied ones are given back
 * early. */
struct spgc_relocation_plan spgc_relocation_plan(struct spgc_heap *heap, size_t most_blocks,
                                                 bool must_gain);

#endif
