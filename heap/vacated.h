/* The record of vacated objects: where each was, and what became of it.
 *
 * It is kept under poison and if an access checker (heap/access_checker.h) is present, so that the
 * report of a stale reference can say what it referred to. It is outside the heap, does not count
 * towards its limit, and has only the latest objects.
 *
 * Objects are noted right before their memory is poisoned, in the order in which they were vacated:
 * with the world stopped, or while a block is swept. So several threads may note at the same
 * time. */
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

/* When it is full, the next object replaces the oldest. */
struct spgc_vacated_record {
  struct spgc_vacated *entries; /* NULL: there is no record */
  uint64_t capacity;
  uint64_t count; /* atomic */
};

/* Makes a record for a heap with this limit, unless the system refuses the memory. */
void spgc_vacated_create(struct spgc_vacated_record *record, size_t limit);
void spgc_vacated_destroy(struct spgc_vacated_record *record);

enum { SPGC_VACATED_TYPES = 64 };

/* The state of noting objects. Valid as long as no descriptor can go. */
struct spgc_vacating {
  struct spgc_heap *heap;
  uint32_t collection;
  bool names;                                /* an access checker shows what the objects are */
  uintptr_t known_types[SPGC_VACATED_TYPES]; /* descriptors found plausible, by hash, because a
                                                check may take system calls */
  struct spgc_readable_pages pages;          /* pages with descriptors */
};

struct spgc_vacating spgc_vacating_begin(struct spgc_heap *heap, uint32_t collection);

/* Notes the objects that tile [from, end), none of which is left: those with a forwarding address
 * moved, the others died. Stops at an object whose descriptor is gone. There is a record. */
void spgc_vacated_note(struct spgc_vacating *vacating, uintptr_t from, uintptr_t end);

/* The last object at an address, which may be interior; or NULL. */
const struct spgc_vacated *spgc_vacated_find(const struct spgc_vacated_record *record,
                                             uintptr_t address);

/* The next entry about a moved object, for its next move or its death; NULL if it is still
 * there. */
const struct spgc_vacated *spgc_vacated_follow(const struct spgc_vacated_record *record,
                                               const struct spgc_vacated *moved);

#endif
