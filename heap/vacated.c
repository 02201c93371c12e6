#include "heap/vacated.h"

#include "heap/heap.h"
#include "heap/hole.h"
#include "support/min_max.h"

/* A moved object's length is in its copy. False if the descriptor is gone, or it ends after
 * `end`. */
static bool read_object(const struct spgc_heap *heap, struct spgc_readable_pages *pages,
                        uintptr_t from, uintptr_t end, struct spgc_vacated *object) {
  struct spgc_ref now = {from};
  uintptr_t header = spgc_object_header(now);
  bool moved = spgc_heap_contains(heap, header);
  if (moved) {
    now = (struct spgc_ref){header};
    header = spgc_object_header(now);
  }
  if (spgc_check_type(heap, pages, header) != NULL)
    return false;
  size_t bytes = spgc_object_bytes(now, (const struct spgc_type *)header);
  *object = (struct spgc_vacated){.from = from, .bytes = bytes, .type = header, .moved = moved};
  return bytes != 0 && bytes <= end - from;
}

void spgc_vacated_note(struct spgc_heap *heap, struct spgc_readable_pages *pages,
                       uint32_t collection, uintptr_t from, uintptr_t end) {
  struct spgc_vacated_record *record = &heap->vacated;
  struct spgc_vacated object;
  for (; from < end && read_object(heap, pages, from, end, &object); from += object.bytes)
    if (!spgc_type_is_filler(object.type)) {
      uint64_t index = __atomic_fetch_add(&record->count, 1, __ATOMIC_RELAXED);
      object.collection = collection;
      record->entries[index % SPGC_MOST_VACATED] = object;
    }
}

const struct spgc_vacated *spgc_vacated_find(const struct spgc_vacated_record *record,
                                             uintptr_t address) {
  for (uint64_t age = 1; age <= spgc_min(record->count, SPGC_MOST_VACATED); age++) {
    const struct spgc_vacated *object = &record->entries[(record->count - age) % SPGC_MOST_VACATED];
    if (address - object->from < object->bytes)
      return object;
  }
  return NULL;
}
