#include "heap/vacated.h"

#include <inttypes.h>
#include <stdio.h>

#include "heap/access_checker.h"
#include "heap/heap.h"
#include "heap/hole.h"
#include "heap/memory.h"

enum { RECORD_BYTES = SPGC_MOST_VACATED * sizeof(struct spgc_vacated) };

void spgc_vacated_create(struct spgc_vacated_record *record) {
  *record = (struct spgc_vacated_record){.entries = spgc_memory_map(RECORD_BYTES)};
}

void spgc_vacated_destroy(struct spgc_vacated_record *record) {
  if (record->entries != NULL)
    spgc_memory_unmap(record->entries, RECORD_BYTES);
  *record = (struct spgc_vacated_record){0};
}

struct spgc_vacating spgc_vacating_begin(struct spgc_heap *heap, uint32_t collection) {
  return (struct spgc_vacating){.heap = heap,
                                .collection = collection,
                                .names =
                                    heap->vacated.entries != NULL && spgc_access_names_are_shown()};
}

static void add(struct spgc_vacating *vacating, const struct spgc_vacated *object) {
  struct spgc_vacated_record *record = &vacating->heap->vacated;
  uint64_t index = __atomic_fetch_add(&record->count, 1, __ATOMIC_RELAXED);
  record->entries[index % SPGC_MOST_VACATED] = *object;
  if (!vacating->names)
    return;
  char type[SPGC_TYPE_NAME_BYTES], text[SPGC_TYPE_NAME_BYTES + 64];
  spgc_type_name_copy(vacating->heap, object->type, type);
  snprintf(text, sizeof text, "%s, %s in collection %" PRIu32 ",", type,
           object->to != 0 ? "moved" : "died", object->collection);
  spgc_access_name(object->from, object->bytes, text);
}

/* A moved object's length is read from its copy. False if the descriptor is gone, or it ends after
 * `end`. */
static bool read_object(struct spgc_vacating *vacating, uintptr_t from, uintptr_t end,
                        struct spgc_vacated *object) {
  const struct spgc_heap *heap = vacating->heap;
  struct spgc_ref now = {from};
  uintptr_t header = spgc_object_header(now), to = 0;
  if (spgc_heap_contains(heap, header)) {
    to = header;
    now = (struct spgc_ref){to};
    header = spgc_object_header(now);
  }
  if (spgc_check_type(heap, &vacating->pages, header) != NULL)
    return false;
  size_t bytes = spgc_object_bytes(now, (const struct spgc_type *)header);
  *object = (struct spgc_vacated){from, bytes, to, header, vacating->collection};
  return bytes != 0 && bytes <= end - from;
}

void spgc_vacated_note(struct spgc_vacating *vacating, uintptr_t from, uintptr_t end) {
  struct spgc_vacated object;
  for (; from < end && read_object(vacating, from, end, &object); from += object.bytes)
    if (!spgc_type_is_filler(object.type))
      add(vacating, &object);
}

static uint64_t oldest(const struct spgc_vacated_record *record) {
  return record->count > SPGC_MOST_VACATED ? record->count - SPGC_MOST_VACATED : 0;
}

static const struct spgc_vacated *entry(const struct spgc_vacated_record *record, uint64_t index) {
  return &record->entries[index % SPGC_MOST_VACATED];
}

const struct spgc_vacated *spgc_vacated_find(const struct spgc_vacated_record *record,
                                             uintptr_t address) {
  for (uint64_t i = record->count; i-- > oldest(record);)
    if (address - entry(record, i)->from < entry(record, i)->bytes)
      return entry(record, i);
  return NULL;
}

const struct spgc_vacated *spgc_vacated_follow(const struct spgc_vacated_record *record,
                                               const struct spgc_vacated *moved) {
  uint64_t i = oldest(record);
  while (i < record->count && entry(record, i) != moved)
    i++;
  while (++i < record->count)
    if (entry(record, i)->from == moved->to)
      return entry(record, i);
  return NULL;
}
