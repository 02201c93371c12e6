/* Entries of a scanner's stack (gc/trace/mark.h). If an object does not fit the stack, its block is
 * flagged, and the block's marked objects are scanned again when the stack is empty.
 */
#ifndef SPGC_GC_TRACE_MARK_ENTRY_H
#define SPGC_GC_TRACE_MARK_ENTRY_H

#include "gc/trace/mark.h"

/* The tags of entries. */
enum {
  SPGC_MARK_RANGE = 1,  /* parts of a large object */
  SPGC_MARK_UNSURE = 2, /* a small object that may be marked; only in parallel marking */
};

static inline bool spgc_mark_is_range(uintptr_t entry) {
  return (entry & SPGC_MARK_RANGE) != 0;
}

/* Moves the entries of `other`, whose worker has stopped, to `scanner`. */
void spgc_mark_take_over(struct spgc_scanner *scanner, struct spgc_scanner *other);

/* A part of a large object: it begins at `from` and is as long as a block. If the stack is too full
 * for the range's other parts, `object` is null and the block is flagged. */
struct spgc_mark_part {
  struct spgc_ref object;
  uintptr_t from;
};

/* Opens a range that was popped: returns its first part, and pushes the others. */
struct spgc_mark_part spgc_mark_open_range(struct spgc_scanner *scanner, uintptr_t range);

/* Pushes the marked large object of a block. */
void spgc_mark_push_large(struct spgc_scanner *scanner, uint32_t index);

/* Returns the next flagged block and clears its flag; SPGC_BLOCK_NONE when there is none. */
uint32_t spgc_mark_next_waiting(struct spgc_scanner *scanner);

#endif
