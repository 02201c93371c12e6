#include "gc/weak/pin.h"

#include <inttypes.h>

#include "gc/mutator/misuse.h"
#include "gc/mutator/mutator.h"
#include "gc/state/locks.h"
#include "gc/weak/side_table.h"
#include "gc/weak/weak_processing.h"
#include "heap/hole.h"
#include "heap/mark_bits.h"
#include "heap/object.h"
#include "heap/relocation.h"
#include "heap/remembered/tables.h"
#include "heap/sweep.h"
#include "spgc/pin.h"
#include "support/fatal.h"

/* The entry's `place` counts the pins. Under SPGC_LOCK_PINS, or with the world stopped. */
struct pin {
  struct spgc_side_entry entry;
  uintptr_t header; /* during an evacuation: of a held object, else 0 */
};

static struct spgc_side_table pins = SPGC_SIDE_TABLE_OF(struct pin, SPGC_SIDE_OF_OBJECTS);
static uint32_t first_held; /* no earlier pin is held in this evacuation */

static struct pin *pin_at(uint32_t index) {
  return spgc_side_table_at(&pins, index);
}

static bool add(struct spgc_ref object) {
  SPGC_LOCKED(SPGC_LOCK_PINS);
  struct pin *pin = spgc_side_table_find(&pins, object, 0);
  if (pin == NULL)
    pin = spgc_side_table_append(&pins, object, 0);
  if (pin == NULL || pin->entry.place == UINT32_MAX)
    return false;
  pin->entry.place++;
  return true;
}

enum spgc_result spgc_pin(struct spgc_ref object, struct spgc_error *error) {
  spgc_caller();
  enum spgc_result result = spgc_check_object(__func__, "", object, error);
  return result == SPGC_OK ? spgc_check_memory(add(object), __func__, error) : result;
}

void spgc_unpin(struct spgc_ref object) {
  spgc_caller();
  SPGC_LOCKED(SPGC_LOCK_PINS);
  struct pin *pin = spgc_side_table_find(&pins, object, 0);
  spgc_require(pin != NULL, "spgc_unpin: object %#" PRIxPTR " is not pinned", object.word);
  if (--pin->entry.place == 0)
    spgc_side_table_remove(&pins, pin);
}

/* In an evacuation, a held object is forwarded to itself, and the block's others move away. In the
 * end the block is old, with fillers around the held objects. */
static void scan(struct spgc_evacuation *evacuation, const struct spgc_liveness *liveness,
                 struct spgc_ref object, uintptr_t header) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  if (spgc_type_is_weak(type))
    spgc_evacuator_scan_weak(&evacuation->workers[0], object, type, object.word,
                             object.word + spgc_object_bytes(object, type), SPGC_TRACE_SERIAL);
  else
    spgc_object_visit(object, type, liveness->keep_alive, liveness->tracer);
}

/* As if a marking had found only the held objects live. */
static void keep_block(struct spgc_heap *heap, uint32_t index) {
  struct spgc_block *block = &heap->blocks[index];
  if (block->top != SPGC_BLOCK_BYTES) /* the record of vacated objects reads it */
    spgc_filler_write(spgc_heap_block_start(heap, index) + block->top,
                      SPGC_BLOCK_BYTES - block->top);
  spgc_block_list_remove(&heap->condemned, heap->blocks, index);
  heap->spaces[index] = SPGC_SPACE_OLD;
  heap->old_blocks++;
  block->top = SPGC_BLOCK_BYTES;
  block->live = 0;
  block->unswept = true;
  block->vacated_by = heap->collection;
  spgc_recyclable_return(heap, index);
  spgc_mark_bits_clear(heap, index);
  spgc_cards_clean(heap, index, 1);
}

static void release(struct spgc_heap *heap, struct spgc_ref object, uintptr_t header) {
  uint32_t index = spgc_heap_block_of(heap, object.word);
  if (spgc_heap_space(heap, index) == SPGC_SPACE_CONDEMNED)
    keep_block(heap, index);
  spgc_object_set_header(object, header);
  size_t bytes = spgc_object_bytes(object, spgc_object_type(object));
  spgc_mark_bits_cover(heap, object, bytes, SPGC_TRACE_SERIAL);
}

/* All pinned objects are held before the first is scanned. */
void spgc_pins_hold(struct spgc_evacuation *evacuation, const struct spgc_liveness *liveness) {
  first_held = liveness->needs_roots ? 0 : pins.fresh;
  for (uint32_t i = first_held; i < pins.count; i++) {
    struct spgc_ref object = pin_at(i)->entry.object;
    pin_at(i)->header = spgc_evacuation_hold(evacuation, object);
    if (pin_at(i)->header == 0) /* nothing would move it */
      spgc_evacuation_forward(evacuation, (struct spgc_slot){&object});
  }
  for (uint32_t i = first_held; i < pins.count; i++)
    if (pin_at(i)->header != 0)
      scan(evacuation, liveness, pin_at(i)->entry.object, pin_at(i)->header);
}

void spgc_pins_spare_blocks(struct spgc_heap *heap) {
  for (uint32_t i = 0; i < pins.count; i++) {
    uint32_t index = spgc_heap_block_of(heap, pin_at(i)->entry.object.word);
    if (spgc_heap_space(heap, index) == SPGC_SPACE_RELOCATING)
      spgc_relocation_spare(heap, index);
  }
}

void spgc_pins_mark(const struct spgc_liveness *liveness) {
  for (uint32_t i = 0; i < pins.count; i++)
    liveness->keep_alive(liveness->tracer, (struct spgc_slot){&pin_at(i)->entry.object});
}

void spgc_pins_release(struct spgc_heap *heap, struct spgc_marker *marker) {
  for (uint32_t i = first_held; i < pins.count; i++)
    if (pin_at(i)->header != 0)
      release(heap, pin_at(i)->entry.object, pin_at(i)->header);
  for (uint32_t i = first_held; i < pins.count; i++) {
    struct spgc_ref object = pin_at(i)->entry.object;
    uint32_t index = spgc_heap_block_of(heap, object.word);
    if (pin_at(i)->header == 0)
      continue;
    if (heap->blocks[index].unswept) {
      /* No marking has marked anything in it, so its first pin clears all bits. */
      spgc_sweep_block(heap, index);
      spgc_mark_bits_clear(heap, index);
    }
    size_t bytes = spgc_object_bytes(object, spgc_object_type(object));
    if (marker != NULL)
      spgc_mark_survivor(&marker->scanners[0], object, bytes, SPGC_TRACE_SERIAL);
  }
  pins.fresh = pins.count;
}

bool spgc_pins_exist(void) {
  return pins.count != 0;
}

void spgc_pins_visit(spgc_root_visitor visit, void *context) {
  spgc_side_table_visit(&pins, visit, context, "pinned object");
}

/* Pinned objects survive: nothing to settle. */
const struct spgc_weak_table spgc_table_of_pins = {.entries = &pins, .what = "pinned object"};
