/* Deferred cards: roots of a partial marking, and changed fields of marked objects. */
#include "gc/trace/mark.h"
#include "heap/remembered/deferred.h"

SPGC_INLINE void visit_part(struct spgc_scanner *scanner, struct spgc_ref object, uintptr_t from,
                            uintptr_t to, spgc_slot_visitor visit) {
  struct spgc_window window = {from, to, visit, scanner};
  const struct spgc_type *type = spgc_object_type(object);
  if (!spgc_type_is_weak(type))
    spgc_object_visit_within(object, type, &window);
}

SPGC_INLINE void fetch_mark(void *context, struct spgc_slot slot) {
  const struct spgc_scanner *scanner = context;
  uintptr_t word = __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED);
  if (spgc_heap_contains(scanner->heap, word))
    __builtin_prefetch(
        spgc_mark_bits_of(scanner->heap, (word - scanner->heap->base) / SPGC_WORD_BYTES), 1);
}

static __attribute__((noinline)) void
fetch_marks_of(struct spgc_scanner *scanner, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  visit_part(scanner, object, from, to, fetch_mark);
}

SPGC_INLINE void mark_slot(void *context, struct spgc_slot slot) {
  struct spgc_scanner *scanner = context;
  uintptr_t word = __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED); /* mutators write */
  if (spgc_heap_contains(scanner->heap, word))
    spgc_mark_field(scanner, slot, (struct spgc_ref){word}, SPGC_TRACE_SERIAL);
}

static __attribute__((noinline)) void mark_children_of(struct spgc_scanner *scanner,
                                                       struct spgc_ref object, uintptr_t from,
                                                       uintptr_t to) {
  visit_part(scanner, object, from, to, mark_slot);
}

/* Inline, because many objects on a card are not marked. */
SPGC_INLINE void fetch_marks_from(void *context, struct spgc_ref object, uintptr_t from,
                                  uintptr_t to) {
  struct spgc_scanner *scanner = context;
  if (spgc_mark_bit_is_set(scanner->heap, object))
    fetch_marks_of(scanner, object, from, to);
}

SPGC_INLINE void mark_from(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct spgc_scanner *scanner = context;
  if (spgc_mark_bit_is_set(scanner->heap, object))
    mark_children_of(scanner, object, from, to);
}

static size_t read_block(struct spgc_marker *marker, uint32_t index, struct spgc_ref large) {
  const struct spgc_deferred_visitor visitor = {.fetch = fetch_marks_from,
                                                .visit = mark_from,
                                                .context = &marker->scanners[0],
                                                .visits = marker->marks_from_cards};
  return spgc_deferred_cards_scan(marker->heap, index, large, &visitor);
}

static size_t read_part(struct spgc_marker *marker) {
  const struct spgc_heap *heap = marker->heap;
  uint32_t large = marker->next_large, part = marker->next_part++;
  if (marker->next_part == heap->blocks[large].run) {
    marker->next_large = heap->blocks[large].next;
    marker->next_part = 0;
  }
  return read_block(marker, large + part, spgc_heap_first_object(heap, large));
}

size_t spgc_marker_read_cards(struct spgc_marker *marker) {
  uint32_t index = marker->next_block;
  if (index == SPGC_BLOCK_NONE)
    return read_part(marker);
  marker->next_block = spgc_old_after(marker->heap, index);
  return read_block(marker, index, spgc_ref_null());
}
