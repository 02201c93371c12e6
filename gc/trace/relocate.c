/* Moves a unit's objects and updates fields. Places are disjoint, so workers share nothing. */
#include "gc/trace/evacuate.h"
#include "heap/blocks.h"
#include "heap/relocation.h"
#include "heap/remembered/scan.h"

SPGC_INLINE void update(void *context, struct spgc_slot slot) {
  const struct spgc_heap *heap = context;
  uintptr_t word = slot.location->word;
  if (spgc_heap_contains(heap, word) &&
      spgc_heap_space(heap, spgc_heap_block_of(heap, word)) == SPGC_SPACE_RELOCATING)
    slot.location->word = spgc_relocation_address(heap, word);
}

static void move_objects(struct spgc_evacuator *evacuator, uint32_t index) {
  struct spgc_heap *heap = evacuator->heap;
  const struct spgc_relocation *relocation = &heap->relocations[index];
  const uintptr_t start = spgc_heap_block_start(heap, index), end = start + SPGC_BLOCK_BYTES,
                  split = start + (uintptr_t)relocation->split * SPGC_WORD_BYTES;
  size_t live = 0, bytes;
  for (struct spgc_ref object = spgc_marked_from(heap, index, start); object.word < end;
       object = spgc_marked_from(heap, index, object.word + bytes)) {
    uintptr_t header = spgc_object_header(object), to = relocation->to[object.word >= split] + live;
    const struct spgc_type *type = (const struct spgc_type *)header;
    bytes = spgc_object_bytes(object, type);
    if (to % SPGC_BLOCK_BYTES == 0)
      spgc_blocks_populate(heap, spgc_heap_block_of(heap, to));
    spgc_object_copy(to, object.word, header, bytes);
    spgc_object_visit((struct spgc_ref){to}, type, update, heap);
    if (heap->vacated.entries != NULL)
      spgc_object_set_header(object, to);
    live += bytes;
    evacuator->moved_objects++;
  }
}

static void update_objects(struct spgc_heap *heap, uint32_t index) {
  const uintptr_t start = spgc_heap_block_start(heap, index), end = start + SPGC_BLOCK_BYTES;
  for (struct spgc_ref object = spgc_marked_from(heap, index, start); object.word < end;) {
    const struct spgc_type *type = spgc_object_type(object);
    spgc_object_visit(object, type, update, heap);
    object = spgc_marked_from(heap, index, object.word + spgc_object_bytes(object, type));
  }
}

static void update_part(struct spgc_heap *heap, uint32_t index) {
  uintptr_t from = spgc_heap_block_start(heap, index);
  struct spgc_ref object = spgc_heap_first_object(heap, spgc_large_first(heap, index));
  struct spgc_window window = {from, from + SPGC_BLOCK_BYTES, update, heap};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
}

/* Blocks given back by one call, which interrupts the other processors. Until then each worker lets
 * the heap exceed its limit by as many. */
static uint32_t batch_of(const struct spgc_heap *heap) {
  const uint32_t most = 4 * SPGC_COMMIT_BLOCKS;
  uint32_t unit = (heap->boundary - heap->low_water) / SPGC_UNITS + 1;
  return unit < most ? unit : most;
}

void spgc_relocate_unit(struct spgc_evacuator *evacuator, struct spgc_unit blocks,
                        bool in_parallel) {
  (void)in_parallel;
  struct spgc_heap *heap = evacuator->heap;
  const uint32_t batch = batch_of(heap);
  uint32_t first = blocks.first; /* relocated, and not given back */
  for (uint32_t i = blocks.first; i < blocks.end; i++) {
    enum spgc_space space = spgc_heap_space(heap, i);
    if (space == SPGC_SPACE_RELOCATING)
      move_objects(evacuator, i);
    else if (spgc_space_is_old_small(space) && !heap->blocks[i].is_fresh)
      update_objects(heap, i);
    else if (!spgc_space_is_old_small(space) && spgc_block_is_old(heap, i))
      update_part(heap, i);
    bool is_relocated = space == SPGC_SPACE_RELOCATING;
    if (!is_relocated || i + 1 - first == batch) {
      spgc_blocks_discard_relocated(heap, first, i + is_relocated);
      first = i + 1;
    }
  }
  spgc_blocks_discard_relocated(heap, first, blocks.end);
}
