/* The record of vacated objects, so that the report of a stale reference can say what it referred
 * to. It is kept under poison and for access checkers, outside the heap and its limit, and has only
 * the latest objects. They are noted right before their memory is poisoned: with the world stopped,
 * or by several threads that sweep. */
#ifndef SPGC_HEAP_VACATED_H
#define SPGC_HEAP_VACATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/check_type.h"

enum {
  SPGC_MOST_VACATED = 1 << 18,     /* 10 MiB of objects */
  SPGC_VACATED_PART_OF_LIMIT = 16, /* and at most this share of the heap's limit */
};

struct spgc_vacated {
  uintptr_t from; /* former address */
  size_t bytes;
  uintptr_t to;        /* new address; 0 if it died */
  uintptr_t type;      /* of its descriptor, which may be gone */
  uint32_t collection; /* that moved it or found it dead */
};

struct spgc_vacated_record {
  struct spgc_vacated *entries; /* NULL: there is no record */
  uint64_t capacity;
  uint64_t count; /* atomic */
};

/* Unless the system refuses the memory. */
void spgc_vacated_create(struct spgc_vacated_record *record, size_t limit);
void spgc_vacated_destroy(struct spgc_vacated_record *record);

enum { SPGC_VACATED_TYPES = 64 };

/* Valid as long as no descriptor can go. */
struct spgc_vacating {
  struct spgc_heap *heap;
  uint32_t collection;
  bool names;                                /* an access checker shows names */
  uintptr_t known_types[SPGC_VACATED_TYPES]; /* found plausible, by hash, because a check may take
                                                system calls */
  struct spgc_readable_pages pages;
};

struct spgc_vacating spgc_vacating_begin(struct spgc_heap *heap, uint32_t collection);

/* Notes the objects that tile [from, end), none of which is left: those with a forwarding address
 * moved, the others died. Stops at a descriptor that is gone. There is a record. */
void spgc_vacated_note(struct spgc_vacating *vacating, uintptr_t from, uintptr_t end);

/* The last object at an address, maybe an interior one; or NULL. */
const struct spgc_vacated *spgc_vacated_find(const struct spgc_vacated_record *record,
                                             uintptr_t address);

/* The next entry about a moved object; NULL if it is still there. */
const struct spgc_vacated *spgc_vacated_follow(const struct spgc_vacated_record *record,
                                               const struct spgc_vacated *moved);

#endif
