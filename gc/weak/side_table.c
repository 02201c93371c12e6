#include "gc/weak/side_table.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CAPACITY = 64, HASH_BITS = 64, SPARSE = 4 };

static struct spgc_side_entry *entry_at(const struct spgc_side_table *table, uint32_t index) {
  return spgc_side_table_at(table, index);
}

static struct spgc_side_listed *listed_at(const struct spgc_side_table *table, uint32_t index) {
  return spgc_side_table_at(table, index);
}

static bool has_lists(const struct spgc_side_table *table) {
  return table->kind == SPGC_SIDE_OF_LISTS;
}

/* Two multiplications (factors of splitmix64), because one sends addresses at some distances to few
 * buckets. */
static size_t bucket_number(const struct spgc_side_table *table, struct spgc_ref object,
                            uint32_t place) {
  uint64_t hash = object.word * UINT64_C(0x9e3779b97f4a7c15) + place * UINT64_C(0xbf58476d1ce4e5b9);
  hash = (hash ^ hash >> 32) * UINT64_C(0x94d049bb133111eb);
  return hash >> table->bucket_shift;
}

static uint32_t *bucket_of(const struct spgc_side_table *table, struct spgc_ref object,
                           uint32_t place) {
  return &table->buckets[bucket_number(table, object,
                                       table->kind == SPGC_SIDE_OF_OBJECTS ? 0 : place)];
}

static size_t bucket_count(const struct spgc_side_table *table) {
  return (size_t)1 << (HASH_BITS - table->bucket_shift);
}

static uint32_t *list_of(const struct spgc_side_table *table, struct spgc_ref object) {
  return &table->buckets[bucket_count(table) + bucket_number(table, object, 0)];
}

_Static_assert(SPGC_SIDE_NONE == UINT32_MAX, "memset marks empty buckets with 0xff bytes");

static void clear_buckets(struct spgc_side_table *table) {
  memset(table->buckets, 0xff, (bucket_count(table) << has_lists(table)) * sizeof *table->buckets);
}

static void link_in_list(struct spgc_side_table *table, uint32_t index) {
  struct spgc_side_listed *listed = listed_at(table, index);
  uint32_t *list = list_of(table, listed->entry.object);
  listed->previous = SPGC_SIDE_NONE;
  listed->next = *list;
  if (*list != SPGC_SIDE_NONE)
    listed_at(table, *list)->previous = index;
  *list = index;
}

static void unlink_from_list(struct spgc_side_table *table, uint32_t index) {
  const struct spgc_side_listed *listed = listed_at(table, index);
  if (listed->previous == SPGC_SIDE_NONE)
    *list_of(table, listed->entry.object) = listed->next;
  else
    listed_at(table, listed->previous)->next = listed->next;
  if (listed->next != SPGC_SIDE_NONE)
    listed_at(table, listed->next)->previous = listed->previous;
}

static void link_entry(struct spgc_side_table *table, uint32_t index) {
  struct spgc_side_entry *entry = entry_at(table, index);
  uint32_t *bucket = bucket_of(table, entry->object, entry->place);
  entry->next = *bucket;
  *bucket = index;
  if (has_lists(table))
    link_in_list(table, index);
}

static void unlink_entry(struct spgc_side_table *table, uint32_t index) {
  const struct spgc_side_entry *entry = entry_at(table, index);
  uint32_t *link = bucket_of(table, entry->object, entry->place);
  for (; *link != index; table->links_followed++)
    link = &entry_at(table, *link)->next;
  *link = entry->next;
  if (has_lists(table))
    unlink_from_list(table, index);
}

void *spgc_side_table_find(struct spgc_side_table *table, struct spgc_ref object, uint32_t place) {
  if (table->count == 0)
    return NULL;
  for (uint32_t i = *bucket_of(table, object, place); i != SPGC_SIDE_NONE;
       i = entry_at(table, i)->next) {
    table->links_followed++;
    struct spgc_side_entry *entry = entry_at(table, i);
    if (spgc_ref_equal(entry->object, object) &&
        (table->kind == SPGC_SIDE_OF_OBJECTS || entry->place == place))
      return entry;
  }
  return NULL;
}

static void *find_listed(const struct spgc_side_table *table, uint32_t index,
                         struct spgc_ref object) {
  while (index != SPGC_SIDE_NONE && !spgc_ref_equal(listed_at(table, index)->entry.object, object))
    index = listed_at(table, index)->next;
  return index == SPGC_SIDE_NONE ? NULL : listed_at(table, index);
}

void *spgc_side_table_first(const struct spgc_side_table *table, struct spgc_ref object) {
  return table->count == 0 ? NULL : find_listed(table, *list_of(table, object), object);
}

void *spgc_side_table_next(const struct spgc_side_table *table, const void *entry) {
  const struct spgc_side_listed *found = entry;
  return find_listed(table, found->next, found->entry.object);
}

static bool resize(struct spgc_side_table *table, uint32_t capacity) {
  uint32_t shift = (uint32_t)__builtin_clzll(capacity - 1); /* for at least as many buckets */
  uint32_t *buckets =
      malloc(((size_t)1 << (HASH_BITS - shift) << has_lists(table)) * sizeof *buckets);
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
  clear_buckets(table);
  for (uint32_t i = 0; i < table->count; i++)
    link_entry(table, i);
  return true;
}

bool spgc_side_table_reserve(struct spgc_side_table *table) {
  if (table->count != table->capacity)
    return true;
  if (table->capacity > UINT32_MAX / 2)
    return false;
  return resize(table, table->capacity == 0 ? LEAST_CAPACITY : 2 * table->capacity);
}

void *spgc_side_table_append(struct spgc_side_table *table, struct spgc_ref object,
                             uint32_t place) {
  if (!spgc_side_table_reserve(table))
    return NULL;
  uint32_t index = table->count++;
  struct spgc_side_entry *entry = entry_at(table, index);
  memset(entry, 0, table->entry_bytes);
  entry->object = object;
  entry->place = place;
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

/* The last settled entry fills the gap, and the last fresh one takes its place. */
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
  return spgc_is_alive(liveness, ((struct spgc_side_entry *)entry)->object);
}

void spgc_side_table_settle(struct spgc_side_table *table, const struct spgc_liveness *liveness,
                            spgc_side_keep stays) {
  uint32_t first = liveness->all ? 0 : table->fresh, kept = first;
  if (first == table->count)
    return;
  if (first == 0)
    clear_buckets(table);
  for (uint32_t i = first; first != 0 && i < table->count; i++)
    unlink_entry(table, i);
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
  uint32_t wanted = kept < LEAST_CAPACITY / 2 ? LEAST_CAPACITY : 2 * kept;
  if (liveness->all && table->capacity / SPARSE > wanted)
    resize(table, wanted); /* without memory for the smaller table, it stays */
}

void spgc_side_table_visit(const struct spgc_side_table *table, spgc_root_visitor visit,
                           void *context, const char *what) {
  for (uint32_t i = 0; i < table->count; i++)
    visit(context, (struct spgc_slot){&entry_at(table, i)->object}, what);
}

void spgc_side_table_free(struct spgc_side_table *table) {
  free(table->entries);
  free(table->buckets);
  *table = (struct spgc_side_table){.entry_bytes = table->entry_bytes, .kind = table->kind};
}
