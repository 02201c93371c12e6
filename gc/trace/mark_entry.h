/* Entries of a scanner's stack (gc/trace/mark.h), and what becomes of objects for which it has no
 * room: their block is flagged, and its marked objects are scanned again when the stack is empty.
 */
#ifndef SPGC_GC_TRACE_MARK_ENTRY_H
#define SPGC_GC_TRACE_MARK_ENTRY_H

#include "gc/trace/mark.h"

/* Tags. */
enum {
  SPGC_MARK_RANGE = 1,  /* parts of a large object */
  SPGC_MARK_UNSURE = 2, /* a small object that may be marked: only while workers mark in parallel */
};

static inline bool spgc_mark_is_range(uintptr_t entry) {
  return (entry & SPGC_MARK_RANGE) != 0;
}

/* What is left of `other` when its worker has stopped. */
void spgc_mark_take_over(struct spgc_scanner *scanner, struct spgc_scanner *other);

/* A part of a large object: from `from`, as long as a block. */
struct spgc_mark_part {
  uintptr_t object,
      from; /* `object` 0: there is no room for the other parts, and the object waits */
};

/* Leaves the first part of a range, which was popped, to the caller, and pushes the others. */
struct spgc_mark_part spgc_mark_open_range(struct spgc_scanner *scanner, uintptr_t range);

/* The marked large object of the block is to be scanned. */
void spgc_mark_push_large(struct spgc_scanner *scanner, uint32_t index);

/* The next block that waits, from now on no more; SPGC_BLOCK_NONE when none does. */
uint32_t spgc_mark_next_waiting(struct spgc_scanner *scanner);

#endif
