/* Deferred cards: the roots of a partial marking beside the ordinary ones, and the fields of marked
 * objects that changed while a collection did not scan them. */
#ifndef SPGC_GC_TRACE_MARK_CARDS_H
#define SPGC_GC_TRACE_MARK_CARDS_H

#include "gc/trace/mark.h"

/* Whether deferred cards are left to be scanned. */
static inline bool spgc_marker_has_cards(const struct spgc_marker *marker) {
  return marker->next_block != SPGC_BLOCK_NONE || marker->next_large != SPGC_BLOCK_NONE;
}

/* Whether nothing is left to be marked. */
static inline bool spgc_marker_is_idle(const struct spgc_marker *marker) {
  const struct spgc_scanner *scanner = &marker->scanners[0];
  return !spgc_scanner_has_own(scanner) && !scanner->overflowed && !spgc_marker_has_cards(marker);
}

/* Scans the deferred cards of one block, or of a part of a large object as long as a block, and
 * cleans them. It marks the children of marked objects on them. The cards that were deferred when a
 * full marking began are only cleaned. Returns how many bytes were looked at. */
size_t spgc_marker_read_cards(struct spgc_marker *marker);

#endif
