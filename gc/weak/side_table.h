/* Side tables: data about some objects, outside the heap, indexed by address.
 *
 *   entries   | settled ...          | fresh ...             | unused ... |
 *             0                      fresh                   count        capacity
 *
 * An entry is found by its object, and in a table with places also by its place: a weak field's
 * offset, a weak map's number. A table with lists also finds all entries of an object.
 *
 * Invariants:
 *   fresh <= count <= capacity <= number of buckets;
 *   no two entries have the same key (object, or object and place);
 *   a settled entry is about an old object, so minor collections skip it, unless a marking in
 *   progress needs the objects that it leads to;
 *   a fresh entry was made since the last collection, and may be about a young object;
 *   no entry keeps its object alive.
 *
 * If an entry cannot be made, the table is unchanged. Settling needs no memory. */
#ifndef SPGC_GC_WEAK_SIDE_TABLE_H
#define SPGC_GC_WEAK_SIDE_TABLE_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

enum { SPGC_SIDE_NONE = UINT32_MAX };

struct spgc_side_entry {
  struct spgc_ref object;
  uint32_t next;  /* in the key's bucket, or SPGC_SIDE_NONE */
  uint32_t place; /* without places, for the table's user */
};

/* In a table with lists. */
struct spgc_side_listed {
  struct spgc_side_entry entry;
  uint32_t next, previous; /* in the object's bucket, or SPGC_SIDE_NONE */
};

enum spgc_side_kind {
  SPGC_SIDE_OF_OBJECTS, /* an object has at most one entry */
  SPGC_SIDE_OF_PLACES,  /* a place of an object has at most one entry */
  SPGC_SIDE_OF_LISTS,   /* places; entries begin with struct spgc_side_listed */
};

/* Written under the lock of the table's user, or with the world stopped. */
struct spgc_side_table {
  unsigned char *entries;
  uint32_t *buckets; /* or NULL. Of keys; then, in a table with lists, as many of objects */
  size_t entry_bytes;
  enum spgc_side_kind kind;
  uint32_t count, fresh, capacity;
  uint32_t bucket_shift;   /* there are 2^(64 - bucket_shift) */
  uint64_t links_followed; /* a measure of the work, for tests */
};

#define SPGC_SIDE_TABLE_OF(entry_type, its_kind)                                                   \
  {.entry_bytes = sizeof(entry_type), .kind = (its_kind)}

static inline void *spgc_side_table_at(const struct spgc_side_table *table, uint32_t index) {
  return table->entries + index * table->entry_bytes;
}

static inline uint32_t spgc_side_table_index(const struct spgc_side_table *table,
                                             const void *entry) {
  return (uint32_t)((size_t)((const unsigned char *)entry - table->entries) / table->entry_bytes);
}

/* NULL if absent. Without places, `place` is ignored. */
void *spgc_side_table_find(struct spgc_side_table *table, struct spgc_ref object, uint32_t place);

/* Needs a table with lists. No order; NULL at the end. */
void *spgc_side_table_first(const struct spgc_side_table *table, struct spgc_ref object);
void *spgc_side_table_next(const struct spgc_side_table *table, const void *entry);

/* Makes space for the next entry. False if out of memory. Entries may move. */
bool spgc_side_table_reserve(struct spgc_side_table *table);

/* A fresh entry of zeros, unless the key has one. NULL if out of memory. Entries may move. */
void *spgc_side_table_append(struct spgc_side_table *table, struct spgc_ref object, uint32_t place);

/* Later entries may move. */
void spgc_side_table_remove(struct spgc_side_table *table, void *entry);

/* The entry still has the object's former address. */
typedef bool (*spgc_side_keep)(const struct spgc_liveness *liveness, void *entry);

/* Of the entries that the collection decides about, drops those that do not stay, and updates the
 * others' addresses. Then all are settled. */
void spgc_side_table_settle(struct spgc_side_table *table, const struct spgc_liveness *liveness,
                            spgc_side_keep stays);

bool spgc_side_table_reached(const struct spgc_liveness *liveness, void *entry);

/* For verification. */
void spgc_side_table_visit(const struct spgc_side_table *table, spgc_root_visitor visit,
                           void *context, const char *what);

void spgc_side_table_free(struct spgc_side_table *table);

#endif
