/* The record of vacated objects: which object lay where, and what became of it.
 *
 * It is kept under poison and where an access checker (heap/access_checker.h) is present, so that
 * the report of a stale reference can say what the reference led to. It lies beside the heap, does
 * not count towards its limit, and has the latest objects only.
 *
 * Objects are noted right before their memory is poisoned, in the order in which they were vacated:
 * with the world stopped, or while a block is swept. So several threads may note at the same time.
 */
#ifndef SPGC_HEAP_VACATED_H
#define SPGC_HEAP_VACATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/check_type.h"

enum {
  SPGC_MOST_VACATED = 1 << 18,     /* objects in the record at most: 10 MiB */
  SPGC_VACATED_PART_OF_LIMIT = 16, /* nor does it take more than this part of the heap's limit */
};

/* An object that died or moved away. */
struct spgc_vacated {
  uintptr_t from;      /* where it lay */
  size_t bytes;        /* its size */
  uintptr_t to;        /* where it moved; 0 if it died */
  uintptr_t type;      /* the address of its descriptor, which may be gone meanwhile */
  uint32_t collection; /* the number of the collection that moved it or found it dead */
};

/* When it is full, the next object takes the place of the oldest. */
struct spgc_vacated_record {
  struct spgc_vacated *entries; /* NULL: no record is kept */
  uint64_t capacity;
  uint64_t count; /* noted so far; atomic */
};

/* Provides a record for a heap with so many bytes as its limit. If the system refuses the memory,
 * none is kept. */
void spgc_vacated_create(struct spgc_vacated_record *record, size_t limit);
void spgc_vacated_destroy(struct spgc_vacated_record *record);

enum { SPGC_VACATED_TYPES = 64 };

/* What notes objects. It lives as long as no descriptor can go. */
struct spgc_vacating {
  struct spgc_heap *heap;
  uint32_t collection;
  bool names;                                /* an access checker shows what the objects are */
  uintptr_t known_types[SPGC_VACATED_TYPES]; /* descriptors found plausible, by hash, because a
                                                check may take system calls */
  struct spgc_readable_pages pages;          /* that hold descriptors */
};

struct spgc_vacating spgc_vacating_begin(struct spgc_heap *heap, uint32_t collection);

/* Notes the objects that tile [from, end), none of which is left: those with a forwarding address
 * moved, the others died. It stops at an object whose descriptor is gone. There is a record. */
void spgc_vacated_note(struct spgc_vacating *vacating, uintptr_t from, uintptr_t end);

/* The last object that lay at an address, interior or not. NULL if the record has none. */
const struct spgc_vacated *spgc_vacated_find(const struct spgc_vacated_record *record,
                                             uintptr_t address);

/* What became of a moved object where it went: the entry of its next move, or of its death. NULL
 * if it is still there. */
const struct spgc_vacated *spgc_vacated_follow(const struct spgc_vacated_record *record,
                                               const struct spgc_vacated *moved);

#endif
