#include "gc/weak/weak_field.h"

#include <inttypes.h>

#include "gc/mutator/misuse.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "gc/weak/weak_processing.h"
#include "heap/mark_bits.h"
#include "heap/object.h"
#include "heap/remembered/barrier.h"
#include "spgc/weak.h"
#include "support/fatal.h"

struct spgc_side_table spgc_weak_fields =
    SPGC_SIDE_TABLE_OF(struct spgc_side_listed, SPGC_SIDE_OF_LISTS);

static struct spgc_slot slot_in(struct spgc_ref object, uint32_t offset) {
  return (struct spgc_slot){(void *)(object.word + offset)};
}

/* Neither a reference field nor the header or length. */
static bool is_free_word(struct spgc_ref object, uint32_t offset) {
  const struct spgc_type *type = spgc_object_type(object);
  uintptr_t word = object.word + offset, end = object.word + spgc_object_bytes(object, type);
  return word % SPGC_WORD_BYTES == 0 && word >= spgc_object_values(object, type) &&
         word + SPGC_WORD_BYTES <= end && !spgc_object_has_slot(object, word);
}

/* The entry is fresh, because the referent may be young. */
static bool bind(struct spgc_ref object, uint32_t offset, struct spgc_ref referent) {
  SPGC_LOCKED(SPGC_LOCK_WEAK_FIELDS);
  bool in_heap = spgc_heap_contains(&spgc_runtime.heap, referent.word);
  if (in_heap && !spgc_side_table_reserve(&spgc_weak_fields))
    return false;
  struct spgc_side_entry *entry = spgc_side_table_find(&spgc_weak_fields, object, offset);
  if (entry != NULL)
    spgc_side_table_remove(&spgc_weak_fields, entry);
  if (in_heap) {
    spgc_side_table_append(&spgc_weak_fields, object, offset);
    spgc_remembered_forget(&spgc_runtime.heap, slot_in(object, offset));
  }
  *slot_in(object, offset).location = referent;
  return true;
}

enum spgc_result spgc_weak_bind(struct spgc_ref object, uint32_t offset, struct spgc_ref referent,
                                struct spgc_error *error) {
  spgc_caller();
  enum spgc_result result = spgc_check_object(__func__, "", object, error);
  if (result == SPGC_OK && spgc_heap_contains(&spgc_runtime.heap, referent.word))
    result = spgc_check_object(__func__, "the referent ", referent, error);
  if (result != SPGC_OK)
    return result;
  if (!is_free_word(object, offset))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_weak_bind: offset %" PRIu32
                          " is not that of a word that may be a weak field",
                          offset);
  return spgc_check_memory(bind(object, offset, referent), __func__, error);
}

/* Includes unreached objects, because a finalizer may yet keep one alive. */
void spgc_weak_fields_clear(const struct spgc_liveness *liveness) {
  for (uint32_t i = liveness->all ? 0 : spgc_weak_fields.fresh; i < spgc_weak_fields.count; i++) {
    const struct spgc_side_entry *entry = spgc_side_table_at(&spgc_weak_fields, i);
    struct spgc_ref address = liveness->address(liveness->tracer, entry->object);
    struct spgc_slot slot =
        slot_in(spgc_ref_is_null(address) ? entry->object : address, entry->place);
    if (!spgc_is_alive(liveness, *slot.location))
      *slot.location = spgc_ref_null();
  }
}

/* Unbinds null fields, cleared by the collector or a mutator. */
static bool follow(const struct spgc_liveness *liveness, void *entry) {
  const struct spgc_side_entry *field = entry;
  struct spgc_ref object = liveness->address(liveness->tracer, field->object);
  if (spgc_ref_is_null(object))
    return false;
  struct spgc_slot slot = slot_in(object, field->place);
  *slot.location = liveness->address(liveness->tracer, *slot.location);
  return spgc_heap_contains(liveness->heap, slot.location->word);
}

void spgc_weak_fields_read(struct spgc_ref object, spgc_root_visitor visit, void *context) {
  for (struct spgc_side_entry *entry = spgc_side_table_first(&spgc_weak_fields, object);
       entry != NULL; entry = spgc_side_table_next(&spgc_weak_fields, entry))
    visit(context, slot_in(object, entry->place), "weak field");
}

static void visit_all(spgc_root_visitor visit, void *context) {
  for (uint32_t i = 0; i < spgc_weak_fields.count; i++) {
    struct spgc_side_entry *entry = spgc_side_table_at(&spgc_weak_fields, i);
    visit(context, (struct spgc_slot){&entry->object}, "object with a weak field");
    visit(context, slot_in(entry->object, entry->place), "weak field");
  }
}

const struct spgc_weak_table spgc_table_of_weak_fields = {
    .entries = &spgc_weak_fields, .stay = follow, .visit = visit_all};

/* Sets the element to null, or to its object's new address. */
static void settle_element(const struct spgc_liveness *liveness, struct spgc_slot element) {
  if (spgc_heap_contains(liveness->heap, element.location->word))
    *element.location = liveness->address(liveness->tracer, *element.location);
}

/* An element whose object a compaction may move is recorded like a field, unless its array is dead,
 * whose memory is free by then. */
struct settling {
  const struct spgc_liveness *liveness;
  struct spgc_recorder recorder;
  bool array_is_alive;
};

static void settle_and_record(void *context, struct spgc_slot element) {
  struct settling *settling = context;
  struct spgc_heap *heap = settling->liveness->heap;
  settle_element(settling->liveness, element);
  if (!settling->array_is_alive || !spgc_heap_contains(heap, element.location->word))
    return;
  uint32_t index = spgc_heap_block_of(heap, element.location->word);
  if (spgc_heap_space(heap, index) == SPGC_SPACE_OLD_CANDIDATE)
    spgc_record(heap, &settling->recorder, element, index);
}

static void settle_elements(struct settling *settling, struct spgc_ref array) {
  const struct spgc_liveness *liveness = settling->liveness;
  settling->array_is_alive = spgc_is_alive(liveness, array);
  spgc_object_visit(array, spgc_object_type(array), settle_and_record, settling);
}

/* Includes unreached arrays, because a finalizer may yet keep one alive. Returns whether there are
 * any. */
static bool settle_small(struct settling *settling, uint32_t index) {
  const struct spgc_heap *heap = settling->liveness->heap;
  uintptr_t end = spgc_heap_block_start(heap, index) + SPGC_BLOCK_BYTES;
  bool has_weak = false;
  for (struct spgc_ref tile = spgc_heap_first_object(heap, index); tile.word < end;
       tile = spgc_tile_next(heap, index, tile))
    if (!spgc_tile_is_unswept(heap, index, tile) && spgc_type_is_weak(spgc_object_type(tile))) {
      settle_elements(settling, tile);
      has_weak = true;
    }
  return has_weak;
}

static void settle_all(const struct spgc_liveness *liveness) {
  struct spgc_heap *heap = liveness->heap;
  struct settling settling = {.liveness = liveness};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (heap->blocks[i].has_weak)
      heap->blocks[i].has_weak = settle_small(&settling, i);
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    struct spgc_ref object = spgc_heap_first_object(heap, i);
    if (spgc_type_is_weak(spgc_object_type(object)))
      settle_elements(&settling, object);
  }
}

/* Objects and elements are seldom cached. */
static void settle_recorded(const struct spgc_liveness *liveness) {
  enum { OBJECTS_AHEAD = 8, ELEMENTS_AHEAD = 16 };
  for (uint32_t i = 0; i < spgc_recorded_chunks(liveness->weak_slots); i++) {
    const struct spgc_recorded_chunk *chunk = &liveness->weak_slots->chunks[i];
    for (uint64_t k = 0; k < chunk->count; k++) {
      if (k + ELEMENTS_AHEAD < chunk->count)
        __builtin_prefetch(chunk->slots[k + ELEMENTS_AHEAD].location, 1);
      if (k + OBJECTS_AHEAD < chunk->count)
        __builtin_prefetch((const void *)chunk->slots[k + OBJECTS_AHEAD].location->word);
      settle_element(liveness, chunk->slots[k]);
    }
  }
}

void spgc_weak_elements_clear(const struct spgc_liveness *liveness) {
  if (liveness->weak_slots != NULL)
    settle_recorded(liveness);
  else
    settle_all(liveness);
}
