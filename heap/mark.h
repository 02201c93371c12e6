/* Marking: finds what lives in the old space, while mutators run between its steps.
 *
 *   spgc_marker_begin      in a collection, before the roots are visited
 *   spgc_mark              for each reference into the old space from a root, a survivor or a dirty card
 *   spgc_marker_step       at any safepoint
 *   spgc_marker_drain      in a collection that visited the roots
 *
 * Old objects do not move while they are marked. Invariant after each collection, and broken by mutators between them:
 * what a marked and scanned object refers to is marked. It is restored because each collection visits the dirty
 * cards, and survivors are born marked. A root is visited by each collection: the marking is complete when one
 * collection visits roots and cards, and drains.
 * An object that dies during the marking may be found live.
 */
#ifndef SPGC_HEAP_MARK_H
#define SPGC_HEAP_MARK_H

#include "heap/mark_bits.h"
#include "heap/watch.h"
#include "heap/work_stack.h"

enum { SPGC_MARK_RING = 16 };

/* Written by whoever holds the cycle (gc/cycle_thread.h). */
struct spgc_marker {
  struct spgc_heap *heap;
  bool active;
  const struct spgc_watch *watch; /* told of each object as it is marked, or NULL: only with the world stopped */
  bool overflowed;                /* some blocks have marks_wait ... */
  uint32_t first_waiting;         /* ... and none before this one */
  uint32_t end_waiting;           /* ... or from this one on */
  /* Marked objects to be scanned: the address of a small one; or, from the top, the address of a large one with its
   * lowest bit set and the offset its scan goes on at. */
  struct spgc_work_stack stack;
  uintptr_t ring[SPGC_MARK_RING]; /* small objects from the stack, being fetched: ring_first to ring_next */
  uint32_t ring_first, ring_next;
  size_t marked_large_bytes;
  size_t marked_bytes; /* of small objects that were scanned, or born marked */
};

/* False when the system refuses. */
bool spgc_marker_create(struct spgc_marker *marker, struct spgc_heap *heap);
void spgc_marker_destroy(struct spgc_marker *marker);

/* Nothing is to be swept. */
void spgc_marker_begin(struct spgc_marker *marker);

/* Forgets every mark. */
void spgc_marker_abandon(struct spgc_marker *marker);

/* All that lives is marked and scanned: spgc_sweep_begin follows. */
void spgc_marker_end(struct spgc_marker *marker);

/* Scans about `bytes` of marked objects. Returns whether more wait. */
bool spgc_marker_step(struct spgc_marker *marker, size_t bytes);
void spgc_marker_drain(struct spgc_marker *marker);

void spgc_mark_push_large(struct spgc_marker *marker, uint32_t index);
void spgc_mark_overflow(struct spgc_marker *marker, uint32_t index);

/* `word` lies in the range. What is young has its mark when it survives. */
SPGC_INLINE void spgc_mark(struct spgc_marker *marker, uintptr_t word) {
  struct spgc_heap *heap = marker->heap;
  uint32_t index = spgc_heap_block_of(heap, word);
  enum spgc_space space = spgc_heap_space(heap, index);
  if (space != SPGC_SPACE_OLD && space != SPGC_SPACE_OLD_LARGE)
    return;
  if (spgc_mark_bit_test_and_set(heap, word))
    return;
  if (__builtin_expect(marker->watch != NULL, 0))
    marker->watch->reached(marker->watch->context, spgc_ref_from_word(word));
  if (__builtin_expect(space == SPGC_SPACE_OLD_LARGE, 0))
    spgc_mark_push_large(marker, index);
  else if (__builtin_expect(spgc_work_stack_has_room(&marker->stack, 1), 1))
    spgc_work_stack_push(&marker->stack, word);
  else
    spgc_mark_overflow(marker, index);
}

/* A survivor that the collection itself scans is born marked. */
SPGC_INLINE void spgc_mark_survivor(struct spgc_marker *marker, uintptr_t object, size_t bytes) {
  spgc_mark_bits_cover(marker->heap, object, bytes);
  marker->heap->blocks[spgc_heap_block_of(marker->heap, object)].live += (uint32_t)bytes;
  marker->marked_bytes += bytes;
}

static inline void spgc_mark_large_survivor(struct spgc_marker *marker, uint32_t index) {
  spgc_mark_bit_test_and_set(marker->heap, spgc_heap_block_start(marker->heap, index));
  marker->marked_large_bytes += marker->heap->blocks[index].large_bytes;
}

#endif
