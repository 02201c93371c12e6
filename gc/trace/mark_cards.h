/* Deferred cards: what a partial marking starts from, besides roots; and where the fields of marked
 * objects changed while nobody needed to know what is young. */
#ifndef SPGC_GC_TRACE_MARK_CARDS_H
#define SPGC_GC_TRACE_MARK_CARDS_H

#include "gc/trace/mark.h"

/* Whether cards are left to be read. */
static inline bool spgc_marker_has_cards(const struct spgc_marker *marker) {
  return marker->next_block != SPGC_BLOCK_NONE || marker->next_large != SPGC_BLOCK_NONE;
}

/* Nothing waits to be marked. */
static inline bool spgc_marker_is_idle(const struct spgc_marker *marker) {
  const struct spgc_scanner *scanner = &marker->scanners[0];
  return !spgc_scanner_has_own(scanner) && !scanner->overflowed && !spgc_marker_has_cards(marker);
}

/* Reads the deferred cards of one block, or of a part of a large object as long as a block, and
 * forgets them: what marked objects refer to on them is marked, but not what a full marking finds
 * deferred as it begins. Returns how many bytes were looked at. */
size_t spgc_marker_read_cards(struct spgc_marker *marker);

#endif
