/* Side tables: what is known of some objects, beside the heap, by their addresses.
 *
 *   entries   | settled ...          | fresh ...             | unused ... |
 *             0                      fresh                   count        capacity
 *
 * A fresh entry was made since the last collection and may speak of young objects; a settled one
 * speaks of old ones only, so that minor collections leave it alone. Entries of one bucket are
 * linked, the latest first. No entry keeps its object alive; one that cannot be made leaves the
 * table as it was, and settling needs no memory.
 */
#ifndef SPGC_GC_WEAK_SIDE_TABLE_H
#define SPGC_GC_WEAK_SIDE_TABLE_H

#include "gc/trace/liveness.h"

enum { SPGC_SIDE_NONE = UINT32_MAX };

/* An entry begins with this. */
struct spgc_side_entry {
  struct spgc_ref object;
  uint32_t next; /* index in the bucket, or SPGC_SIDE_NONE */
  uint32_t data; /* the table's user's */
};

/* Written under its user's lock, or with the world stopped. */
struct spgc_side_table {
  unsigned char *entries;
  uint32_t *buckets; /* of a power of two; NULL while capacity is 0 */
  size_t entry_bytes;
  uint32_t count, fresh, capacity;
  uint32_t bucket_shift; /* there are 2^(64 - bucket_shift) buckets */
};

#define SPGC_SIDE_TABLE_OF(entry_type) {.entry_bytes = sizeof(entry_type)}

static inline void *spgc_side_table_at(const struct spgc_side_table *table, uint32_t index) {
  return table->entries + index * table->entry_bytes;
}

static inline uint32_t spgc_side_table_index(const struct spgc_side_table *table,
                                             const void *entry) {
  return (uint32_t)((size_t)((const unsigned char *)entry - table->entries) / table->entry_bytes);
}

/* The first entry the collection decides over. */
static inline uint32_t spgc_side_table_first(const struct spgc_side_table *table,
                                             const struct spgc_liveness *liveness) {
  return liveness->all ? 0 : table->fresh;
}

/* The first entry of which something may need to be reached. A marking needs all of them. */
static inline uint32_t spgc_side_table_first_root(const struct spgc_side_table *table,
                                                  const struct spgc_liveness *liveness) {
  bool marks = liveness->marker != NULL || spgc_evacuation_marker(liveness->evacuation) != NULL;
  return liveness->all || marks ? 0 : table->fresh;
}

/* The latest entry of the object, and the one made before it; NULL at the end. */
void *spgc_side_table_find(const struct spgc_side_table *table, struct spgc_ref object);
void *spgc_side_table_find_next(const struct spgc_side_table *table, const void *entry);

/* Makes sure that the next entry can be made. False when the process has no memory. Entries may
 * move. */
bool spgc_side_table_reserve(struct spgc_side_table *table);

/* A new entry, fresh and zero but for its object; NULL when the process has no memory. Entries may
 * move. */
void *spgc_side_table_append(struct spgc_side_table *table, struct spgc_ref object);

/* Other entries may move. */
void spgc_side_table_remove(struct spgc_side_table *table, void *entry);

/* Whether the entry stays; its object may have been reached or not, and is still named by its
 * former address. */
typedef bool (*spgc_side_keep)(const struct spgc_liveness *liveness, void *entry);

/* Drops the entries the collection decides over that do not stay, tells the others where their
 * objects are, and declares all settled. An object of an entry that stays was reached. */
void spgc_side_table_settle(struct spgc_side_table *table, const struct spgc_liveness *liveness,
                            spgc_side_keep keep);

/* Whether an entry's object was reached: the rule for most tables. */
bool spgc_side_table_reached(const struct spgc_liveness *liveness, void *entry);

/* Empties the table and gives its memory back. */
void spgc_side_table_free(struct spgc_side_table *table);

#endif
