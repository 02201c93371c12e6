/* Reads the whole heap and trusts nothing. */
#ifndef SPGC_HEAP_CHECK_H
#define SPGC_HEAP_CHECK_H

#include "heap/heap.h"
#include "spgc/result.h"

struct spgc_check {
  struct spgc_heap *heap;
  bool is_marking;
  uint32_t low, high; /* the accessible blocks, which have bits */
  uint64_t *starts;   /* a bit for each word where an object begins; or NULL */
  uint64_t *recorded; /* a bit for each recorded slot, if there are candidate blocks; after these */
};

/* Checks what docs/heap.md, "Verification and poison", lists, with the world stopped. `error` names
 * the object and the field. */
enum spgc_result spgc_check_heap(struct spgc_check *check, struct spgc_error *error);

/* Called after spgc_check_heap, before the heap changes. `what` names the root. */
enum spgc_result spgc_check_root(const struct spgc_check *check, const char *what,
                                 struct spgc_slot slot, struct spgc_error *error);

void spgc_check_destroy(struct spgc_check *check);

#endif
