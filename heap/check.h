/* Heap verification: reads the whole heap and trusts nothing. */
#ifndef SPGC_HEAP_CHECK_H
#define SPGC_HEAP_CHECK_H

#include "heap/heap.h"
#include "spgc/result.h"

enum { SPGC_CHECKED_TYPES = 1024 };

struct spgc_checked_type {
  uintptr_t header; /* 0: none */
  uint64_t objects;
};

/* Written by the thread that verifies. */
struct spgc_check {
  struct spgc_heap *heap;
  bool is_marking;    /* written before each run */
  uint64_t *starts;   /* one bit for each word of the range: an object begins there */
  uint64_t *recorded; /* one bit for each word: a recorded slot, if there are candidate blocks */
  uint32_t low, high; /* blocks whose bits are accessible */
  /* Descriptors of the last complete run and of this one, by hash, as far as they find a place. */
  struct spgc_checked_type last_types[SPGC_CHECKED_TYPES], types[SPGC_CHECKED_TYPES];
};

/* Checks what docs/heap.md, "Verification and poison", lists, with the world stopped. Nothing is
 * swept, so that the check changes nothing. On success, the starts of objects stay known until the
 * heap changes. On failure, `error` names the object and the field. */
enum spgc_result spgc_check_heap(struct spgc_check *check, struct spgc_error *error);

/* Checks that a root leads to the first word of an object, or outside the heap, after
 * spgc_check_heap succeeded. `what` names the root in the message. */
enum spgc_result spgc_check_root(const struct spgc_check *check, const char *what,
                                 struct spgc_slot slot, struct spgc_error *error);

void spgc_check_destroy(struct spgc_check *check);

#endif
