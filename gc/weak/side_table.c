#include "gc/weak/side_table.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CAPACITY = 64, HASH_BITS = 64, SPARSE = 4 };

static struct spgc_side_entry *entry_at(const struct spgc_side_table *table, uint32_t index) {
  return spgc_side_table_at(table, index);
}

static uint32_t *bucket_of(const struct spgc_side_table *table, struct spgc_ref object) {
  uint64_t hash = (uint64_t)object.word * UINT64_C(0x9e3779b97f4a7c15);
  return &table->buckets[hash >> table->bucket_shift];
}

static size_t bucket_count(const struct spgc_side_table *table) {
  return (size_t)1 << (HASH_BITS - table->bucket_shift);
}

static void link_entry(struct spgc_side_table *table, uint32_t index) {
  uint32_t *bucket = bucket_of(table, entry_at(table, index)->object);
  entry_at(table, index)->next = *bucket;
  *bucket = index;
}

static void unlink_entry(struct spgc_side_table *table, uint32_t index) {
  uint32_t *link = bucket_of(table, entry_at(table, index)->object);
  while (*link != index)
    link = &entry_at(table, *link)->next;
  *link = entry_at(table, index)->next;
}

static void clear_buckets(struct spgc_side_table *table) {
  memset(table->buckets, 0xff, bucket_count(table) * sizeof *table->buckets);
}

_Static_assert(SPGC_SIDE_NONE == UINT32_MAX, "memset marks empty buckets with 0xff bytes");

static void link_all(struct spgc_side_table *table) {
  clear_buckets(table);
  for (uint32_t i = 0; i < table->count; i++)
    link_entry(table, i);
}

/* The first entry for the object in its bucket, from `index` on. */
static struct spgc_side_entry *find_from(const struct spgc_side_table *table, uint32_t index,
                                         struct spgc_ref object) {
  while (index != SPGC_SIDE_NONE && !spgc_ref_equal(entry_at(table, index)->object, object))
    index = entry_at(table, index)->next;
  return index == SPGC_SIDE_NONE ? NULL : entry_at(table, index);
}

void *spgc_side_table_find(const struct spgc_side_table *table, struct spgc_ref object) {
  return table->count == 0 ? NULL : find_from(table, *bucket_of(table, object), object);
}

void *spgc_side_table_find_next(const struct spgc_side_table *table, const void *entry) {
  const struct spgc_side_entry *found = entry;
  return find_from(table, found->next, found->object);
}

/* The shift for the smallest power of two of at least `capacity` buckets. */
static uint32_t shift_for(uint32_t capacity) {
  return (uint32_t)__builtin_clzll(capacity - 1);
}

/* False when the process is out of memory; the table is unchanged then. */
static bool resize(struct spgc_side_table *table, uint32_t capacity) {
  uint32_t shift = shift_for(capacity);
  uint32_t *buckets = malloc(((size_t)1 << (HASH_BITS - shift)) * sizeof *buckets);
  if (buckets == NULL)
    return false;
  unsigned char *entries = realloc(table->entries, capacity * table->entry_bytes);
  if (entries == NULL) {
    free(buckets);
    return false;
  }
  free(table->buckets);
  table->entries = entries;
  table->buckets = buckets;
  table->bucket_shift = shift;
  table->capacity = capacity;
  link_all(table);
  return true;
}

bool spgc_side_table_reserve(struct spgc_side_table *table) {
  if (table->count != table->capacity)
    return true;
  if (table->capacity > UINT32_MAX / 2)
    return false;
  return resize(table, table->capacity == 0 ? LEAST_CAPACITY : 2 * table->capacity);
}

void *spgc_side_table_append(struct spgc_side_table *table, struct spgc_ref object) {
  if (!spgc_side_table_reserve(table))
    return NULL;
  uint32_t index = table->count++;
  struct spgc_side_entry *entry = entry_at(table, index);
  memset(entry, 0, table->entry_bytes);
  entry->object = object;
  link_entry(table, index);
  return entry;
}

static void move_entry(struct spgc_side_table *table, uint32_t from, uint32_t to) {
  if (from == to)
    return;
  unlink_entry(table, from);
  memcpy(entry_at(table, to), entry_at(table, from), table->entry_bytes);
  link_entry(table, to);
}

/* The last settled entry fills the gap, and the last fresh entry takes that one's place. */
void spgc_side_table_remove(struct spgc_side_table *table, void *entry) {
  uint32_t gap = spgc_side_table_index(table, entry);
  unlink_entry(table, gap);
  if (gap < table->fresh) {
    table->fresh--;
    move_entry(table, table->fresh, gap);
    gap = table->fresh;
  }
  table->count--;
  move_entry(table, table->count, gap);
}

bool spgc_side_table_reached(const struct spgc_liveness *liveness, void *entry) {
  return liveness->is_alive(liveness->tracer, ((struct spgc_side_entry *)entry)->object);
}

static void unlink_from(struct spgc_side_table *table, uint32_t first) {
  if (first == 0)
    clear_buckets(table);
  else
    for (uint32_t i = first; i < table->count; i++)
      unlink_entry(table, i);
}

/* Keeps the larger table if the process has no memory for the smaller one. */
static void shrink(struct spgc_side_table *table) {
  uint32_t wanted = table->count < LEAST_CAPACITY / 2 ? LEAST_CAPACITY : 2 * table->count;
  if (table->capacity / SPARSE > wanted)
    resize(table, wanted);
}

void spgc_side_table_settle(struct spgc_side_table *table, const struct spgc_liveness *liveness,
                            spgc_side_keep stays) {
  uint32_t first = liveness->all ? 0 : table->fresh, kept = first;
  if (first == table->count)
    return;
  unlink_from(table, first);
  for (uint32_t i = first; i < table->count; i++) {
    struct spgc_side_entry *entry = entry_at(table, i);
    if (!stays(liveness, entry))
      continue;
    entry->object = liveness->address(liveness->tracer, entry->object);
    if (kept != i)
      memcpy(entry_at(table, kept), entry, table->entry_bytes);
    kept++;
  }
  table->count = table->fresh = kept;
  for (uint32_t i = first; i < kept; i++)
    link_entry(table, i);
  if (liveness->all)
    shrink(table);
}

void spgc_side_table_free(struct spgc_side_table *table) {
  free(table->entries);
  free(table->buckets);
  *table = (struct spgc_side_table){.entry_bytes = table->entry_bytes};
}
