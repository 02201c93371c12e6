/* Side tables: data about some objects, outside the heap, indexed by address.
 *
 *   entries   | settled ...          | fresh ...             | unused ... |
 *             0                      fresh                   count        capacity
 *
 * Invariants:
 *   fresh <= count <= capacity;
 *   a settled entry is about old objects only, so minor collections skip it, unless a marking is
 *   under way that needs what it leads to;
 *   a fresh entry was made since the last collection, and may be about young objects;
 *   entries of one bucket are linked, the latest first;
 *   no entry keeps its object alive.
 * A failure to make an entry leaves the table unchanged. Settling needs no memory.
 */
#ifndef SPGC_GC_WEAK_SIDE_TABLE_H
#define SPGC_GC_WEAK_SIDE_TABLE_H

#include "gc/trace/liveness.h"

enum { SPGC_SIDE_NONE = UINT32_MAX };

/* The head of every entry. */
struct spgc_side_entry {
  struct spgc_ref object;
  uint32_t next; /* index of the next entry in the bucket, or SPGC_SIDE_NONE */
  uint32_t data; /* for the table's user */
};

/* Written under the lock of the table's user, or with the world stopped. */
struct spgc_side_table {
  unsigned char *entries;
  uint32_t *buckets; /* NULL while capacity is 0 */
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

/* The latest entry for an object, and the one made before `entry`; NULL when there is none. */
void *spgc_side_table_find(const struct spgc_side_table *table, struct spgc_ref object);
void *spgc_side_table_find_next(const struct spgc_side_table *table, const void *entry);

/* Makes sure that the next entry can be made. False when the process is out of memory. Entries may
 * move. */
bool spgc_side_table_reserve(struct spgc_side_table *table);

/* Makes a fresh entry; all its fields except the object are zero. NULL when the process is out of
 * memory. Entries may move. */
void *spgc_side_table_append(struct spgc_side_table *table, struct spgc_ref object);

/* Removes an entry. Other entries may move. */
void spgc_side_table_remove(struct spgc_side_table *table, void *entry);

/* Whether an entry stays. It still holds the object's former address, dead or alive. */
typedef bool (*spgc_side_keep)(const struct spgc_liveness *liveness, void *entry);

/* For the entries that the collection decides about: drops those that do not stay, and updates the
 * addresses of the others. All entries are settled then. The object of an entry that stays must
 * have been reached. */
void spgc_side_table_settle(struct spgc_side_table *table, const struct spgc_liveness *liveness,
                            spgc_side_keep stays);

/* Whether the entry's object was reached. Most tables keep exactly those entries. */
bool spgc_side_table_reached(const struct spgc_liveness *liveness, void *entry);

/* Empties the table and frees its memory. */
void spgc_side_table_free(struct spgc_side_table *table);

#endif
