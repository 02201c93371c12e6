#include "heap/heap.h"

#include <string.h>

#include "heap/access_checker.h"
#include "heap/commit.h"
#include "heap/hole.h"
#include "heap/remembered/recorded.h"
#include "heap/runs.h"

static void initialise_lists(struct spgc_heap *heap) {
  for (int zone = 0; zone < SPGC_ZONES; zone++)
    for (int pool = SPGC_POOL_RESIDENT; pool <= SPGC_POOL_PROTECTED; pool++)
      heap->pools[zone][pool] = spgc_block_list_empty();
  heap->nursery = heap->nursery_large = spgc_block_list_empty();
  heap->old_large = spgc_block_list_empty();
  heap->condemned = heap->condemned_large = spgc_block_list_empty();
  spgc_heap_forget_plabs(heap);
}

void spgc_heap_forget_plabs(struct spgc_heap *heap) {
  for (int worker = 0; worker < SPGC_MOST_WORKERS; worker++)
    for (int i = 0; i < SPGC_PLABS; i++)
      heap->workers[worker].plabs[i] =
          (struct spgc_plab){.block = SPGC_BLOCK_NONE, .next_hole = SPGC_NO_HOLE};
  heap->recyclable = heap->sparse = heap->unswept = SPGC_BLOCK_NONE;
  heap->hole_percent = 100;
}

static bool reserve_zones(struct spgc_heap *heap, size_t blocks, size_t singles, size_t most) {
  for (size_t runs = spgc_runs_blocks(blocks); runs >= blocks; runs /= 2)
    if (singles + runs <= SPGC_MOST_BLOCKS && spgc_commit_bytes(singles + runs) <= most &&
        spgc_commit_create(heap, singles, runs))
      return true;
  return false;
}

/* A relocation of all objects needs the address space of singles twice. */
static bool reserve(struct spgc_heap *heap, size_t limit, size_t most) {
  size_t blocks = spgc_blocks_for(limit), singles = blocks + SPGC_COMMIT_BLOCKS;
  if (blocks == 0 || 2 * blocks >= SPGC_MOST_BLOCKS)
    return false;
  return reserve_zones(heap, blocks, singles + blocks, most) ||
         reserve_zones(heap, blocks, singles, most);
}

bool spgc_heap_create(struct spgc_heap *heap, size_t limit, size_t most, bool poison) {
  enum { RECORDED_PARTS = 256 };
  memset(heap, 0, sizeof *heap);
  initialise_lists(heap);
  if (!reserve(heap, limit, most))
    goto fail_range;
  heap->poison = poison;
  heap->least_hole_bytes = SPGC_LEAST_HOLE_BYTES;
  heap->recorded.capacity = heap->weak_slots.capacity =
      (uint32_t)(limit / RECORDED_PARTS / sizeof(struct spgc_recorded_chunk)) + 1;
  heap->is_checked = spgc_access_is_checked();
  spgc_runs_create(heap);
  if (!spgc_worklist_provide(&heap->workers[0].stack))
    goto fail_stack;
  if (heap->poison || heap->is_checked)
    spgc_vacated_create(&heap->vacated, limit);
  pthread_mutex_init(&heap->lock, NULL);
  return true;

fail_stack:
  spgc_commit_destroy(heap);
fail_range:
  memset(heap, 0, sizeof *heap);
  return false;
}

/* Later mappings at these addresses are accessible. */
static void allow_all(const struct spgc_heap *heap) {
  uintptr_t from = spgc_heap_block_start(heap, heap->low_water);
  spgc_access_allow(from, spgc_heap_block_start(heap, heap->high_water) - from);
  spgc_access_forget_names(heap->base, heap->size);
}

void spgc_heap_destroy(struct spgc_heap *heap) {
  if (heap->is_checked)
    allow_all(heap);
  spgc_vacated_destroy(&heap->vacated);
  spgc_recorded_destroy(&heap->recorded);
  spgc_recorded_destroy(&heap->weak_slots);
  pthread_mutex_destroy(&heap->lock);
  for (int worker = 0; worker < SPGC_MOST_WORKERS; worker++)
    spgc_worklist_destroy(&heap->workers[worker].stack);
  spgc_commit_destroy(heap);
  memset(heap, 0, sizeof *heap);
}
