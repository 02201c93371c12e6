#include "observe/profile/sequences.h"

#include <stdlib.h>
#include <string.h>

#include "support/hash_index.h"

enum { LEAST_CAPACITY = 64, LEAST_BYTES = 4096, WORD = sizeof(uint64_t), RETIRED = 0 };

/* Never RETIRED, so that a retired sequence equals no other. */
static uint32_t hash_of(const void *bytes, size_t length) {
  uint32_t hash = spgc_hash_bytes(bytes, length);
  return hash != RETIRED ? hash : 1;
}

static bool is_at(const struct spgc_sequences *table, uint32_t number, const void *bytes,
                  size_t length, uint32_t hash) {
  const struct spgc_sequence_entry *entry = &table->entries[number];
  return entry->hash == hash && entry->length == length &&
         memcmp(spgc_sequence_at(table, number), bytes, length) == 0;
}

/* Or the empty one for it. */
static uint32_t *slot_of(const struct spgc_sequences *table, const void *bytes, size_t length,
                         uint32_t hash) {
  uint32_t mask = table->slot_count - 1, at = hash & mask;
  while (table->slots[at] != SPGC_SEQUENCE_NONE &&
         !is_at(table, table->slots[at], bytes, length, hash))
    at = (at + 1) & mask;
  return &table->slots[at];
}

uint32_t spgc_sequence_find(const struct spgc_sequences *table, const void *bytes, size_t length) {
  if (table->count == 0)
    return SPGC_SEQUENCE_NONE;
  return *slot_of(table, bytes, length, hash_of(bytes, length));
}

/* Retired sequences stay in their slots, but get none in a larger table. */
static void fill_slots(const struct spgc_sequences *table, uint32_t *slots, uint32_t count) {
  memset(slots, 0xff, count * sizeof *slots);
  for (uint32_t number = 0; number < table->count; number++) {
    uint32_t hash = table->entries[number].hash, at = hash & (count - 1);
    if (hash == RETIRED)
      continue;
    while (slots[at] != SPGC_SEQUENCE_NONE)
      at = (at + 1) & (count - 1);
    slots[at] = number;
  }
}

_Static_assert(SPGC_SEQUENCE_NONE == UINT32_MAX, "memset marks empty slots with 0xff bytes");

static bool grow_bytes(struct spgc_sequences *table, size_t needed) {
  if (needed > table->most_bytes)
    return false;
  size_t capacity = table->byte_capacity == 0 ? LEAST_BYTES : table->byte_capacity;
  while (capacity < needed)
    capacity *= 2;
  if (capacity == table->byte_capacity)
    return true;
  unsigned char *bytes = realloc(table->bytes, capacity);
  if (bytes == NULL)
    return false;
  table->bytes = bytes;
  table->byte_capacity = capacity;
  return true;
}

static bool grow_slots(struct spgc_sequences *table, uint32_t capacity) {
  uint32_t *slots = malloc(2 * (size_t)capacity * sizeof *slots);
  if (slots == NULL)
    return false;
  fill_slots(table, slots, 2 * capacity);
  free(table->slots);
  table->slots = slots;
  table->slot_count = 2 * capacity;
  return true;
}

/* Arrays may grow even on failure; `capacity` says how far they are usable. */
static bool grow_entries(struct spgc_sequences *table) {
  if (table->count == table->most)
    return false;
  if (table->count < table->capacity)
    return true;
  uint32_t capacity = table->capacity == 0 ? LEAST_CAPACITY : 2 * table->capacity;
  struct spgc_sequence_entry *entries = realloc(table->entries, capacity * sizeof *table->entries);
  if (entries == NULL)
    return false;
  table->entries = entries;
  if (table->value_bytes != 0) {
    unsigned char *values = realloc(table->values, capacity * table->value_bytes);
    if (values == NULL)
      return false;
    table->values = values;
  }
  if (!grow_slots(table, capacity))
    return false;
  table->capacity = capacity;
  return true;
}

static uint32_t append(struct spgc_sequences *table, const void *bytes, size_t length,
                       uint32_t hash) {
  size_t end = table->used_bytes + (length + WORD - 1) / WORD * WORD;
  if (!grow_bytes(table, end) || !grow_entries(table))
    return SPGC_SEQUENCE_NONE;
  uint32_t number = table->count++;
  *slot_of(table, bytes, length, hash) = number;
  memcpy(table->bytes + table->used_bytes, bytes, length);
  table->entries[number] =
      (struct spgc_sequence_entry){(uint32_t)(table->used_bytes / WORD), (uint32_t)length, hash};
  if (table->value_bytes != 0)
    memset(spgc_sequence_value(table, number), 0, table->value_bytes);
  table->used_bytes = end;
  return number;
}

uint32_t spgc_sequence_number(struct spgc_sequences *table, const void *bytes, size_t length) {
  uint32_t hash = hash_of(bytes, length);
  uint32_t found = table->count == 0 ? SPGC_SEQUENCE_NONE : *slot_of(table, bytes, length, hash);
  return found != SPGC_SEQUENCE_NONE ? found : append(table, bytes, length, hash);
}

void spgc_sequence_retire(struct spgc_sequences *table, uint32_t number) {
  table->entries[number].hash = RETIRED;
}

static void *copy_of(const void *data, size_t bytes, bool *complete) {
  void *copy = bytes != 0 ? malloc(bytes) : NULL;
  if (copy != NULL)
    memcpy(copy, data, bytes);
  *complete = *complete && (copy != NULL || bytes == 0);
  return copy;
}

bool spgc_sequences_copy(struct spgc_sequences *copy, const struct spgc_sequences *table) {
  bool complete = true;
  *copy = *table;
  copy->bytes = copy_of(table->bytes, table->byte_capacity, &complete);
  copy->entries = copy_of(table->entries, table->capacity * sizeof *table->entries, &complete);
  copy->values = copy_of(table->values, table->capacity * table->value_bytes, &complete);
  copy->slots = copy_of(table->slots, table->slot_count * sizeof *table->slots, &complete);
  if (!complete)
    spgc_sequences_free(copy);
  return complete;
}

void spgc_sequences_free(struct spgc_sequences *table) {
  free(table->bytes);
  free(table->entries);
  free(table->values);
  free(table->slots);
  *table = (struct spgc_sequences){
      .value_bytes = table->value_bytes, .most_bytes = table->most_bytes, .most = table->most};
}
