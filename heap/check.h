/* Heap verification: reads the whole heap and trusts nothing. */
#ifndef SPGC_HEAP_CHECK_H
#define SPGC_HEAP_CHECK_H

#include "heap/heap.h"
#include "spgc/result.h"

enum { SPGC_CHECKED_TYPES = 1024 };

/* A descriptor, and the number of headers that led to it. */
struct spgc_checked_type {
  uintptr_t header; /* 0: none */
  uint64_t objects;
};

/* Written by the thread that verifies. */
struct spgc_check {
  struct spgc_heap *heap;
  bool is_marking;    /* the old space is being marked; written before each run */
  uint64_t *starts;   /* one bit per word of the range: an object begins here. This and the next are
                         NULL before the first run */
  uint64_t *recorded; /* one bit per word of the range: a recorded slot. Of this run, if there are
                         candidate blocks */
  uint32_t low, high; /* blocks whose part of the two is accessible */
  /* Descriptors of the last complete run and of this one, by hash. Descriptors that find no place
   * are left out. */
  struct spgc_checked_type last_types[SPGC_CHECKED_TYPES], types[SPGC_CHECKED_TYPES];
};

/* Checks that every header is a plausible descriptor outside the heap, that objects tile their
 * block, that every reference leads to the first word of an object, that cards are as docs/heap.md
 * promises, and that the heap's counts are right. In an unswept block only marked objects count. It
 * stays unswept, so that the check changes nothing. The world is stopped. On success, the starts of
 * objects stay known until the heap changes. On failure, `error` names the object and the field. */
enum spgc_result spgc_check_heap(struct spgc_check *check, struct spgc_error *error);

/* Checks that a root leads to the first word of an object, or outside the heap. `what` names the
 * root in the message. Valid after spgc_check_heap succeeded. */
enum spgc_result spgc_check_root(const struct spgc_check *check, const char *what,
                                 struct spgc_slot slot, struct spgc_error *error);

void spgc_check_destroy(struct spgc_check *check);

#endif
