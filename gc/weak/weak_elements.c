#include "gc/weak/weak_elements.h"

#include "heap/object.h"
#include "heap/tile.h"

/* Sets the element to null, or to its object's new address. */
static void settle(void *context, struct spgc_slot element) {
  const struct spgc_liveness *liveness = context;
  if (spgc_heap_contains(liveness->heap, element.location->word))
    *element.location = liveness->address(liveness->tracer, *element.location);
}

static void settle_elements(const struct spgc_liveness *liveness, struct spgc_ref array) {
  spgc_object_visit(array, spgc_object_type(array), settle, (void *)(uintptr_t)liveness);
}

/* Includes unreached arrays, because a finalizer may yet keep one alive. Returns whether there are
 * any. */
static bool settle_small(const struct spgc_liveness *liveness, uint32_t index) {
  uintptr_t end = spgc_heap_block_start(liveness->heap, index) + SPGC_BLOCK_BYTES;
  bool has_weak = false;
  for (struct spgc_ref tile = spgc_heap_first_object(liveness->heap, index); tile.word < end;
       tile = spgc_tile_next(liveness->heap, index, tile))
    if (!spgc_tile_is_unswept(liveness->heap, index, tile) &&
        spgc_type_is_weak(spgc_object_type(tile))) {
      settle_elements(liveness, tile);
      has_weak = true;
    }
  return has_weak;
}

/* Large objects stay where they are, so unreached ones can be read. */
static void settle_large(const struct spgc_liveness *liveness, const struct spgc_block_list *list) {
  const struct spgc_heap *heap = liveness->heap;
  for (uint32_t i = list->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    struct spgc_ref object = spgc_heap_first_object(heap, i);
    if (spgc_type_is_weak(spgc_object_type(object)))
      settle_elements(liveness, object);
  }
}

void spgc_weak_elements_clear(const struct spgc_liveness *liveness) {
  struct spgc_heap *heap = liveness->heap;
  if (!liveness->all)
    return;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (heap->blocks[i].has_weak)
      heap->blocks[i].has_weak = settle_small(liveness, i);
  settle_large(liveness, &heap->old_large);
  settle_large(liveness, &heap->condemned_large); /* also survivors, if everything moves */
}
