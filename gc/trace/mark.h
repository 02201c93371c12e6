/* Marking: finds what lives in the old space, while mutators run between its steps.
 *
 *   spgc_marker_begin      in a collection, before the roots are visited
 *   spgc_marker_engage     in any collection, if others may help
 *   spgc_mark              for each reference into the old space from a root, a survivor or a dirty
 * card spgc_marker_gather     when workers of an evacuation have marked spgc_marker_step       at
 * any safepoint spgc_marker_drain      in a collection that visited the roots
 *
 * Old objects do not move while they are marked. Invariant after each collection, and broken by
 * mutators between them: what a marked and scanned object refers to is marked, or the field lies on
 * a deferred card that is yet to be read. It is restored because each collection visits the dirty
 * cards or remembers them (spgc_marker_defer_cards, _leave_cards), and survivors are born marked or
 * unmarked and old. The marking is complete when one collection visits all roots and the cards, and
 * drains. An object that dies during the marking may be found live.
 *
 * Marks may be kept (heap->keeps_marks): the next marking can then be *partial*, and only scans
 * what became old since. It takes for live whatever was live at the last marking: sticky mark bits
 * (Demers et al., "Combining Generational and Conservative Garbage Collection", 1990). It starts
 * from the roots and from what marked objects refer to on deferred cards (heap/card.h), which it
 * reads in its steps. A *whole* marking forgets all marks first.
 *
 * With the world stopped, workers may mark in parallel: in an evacuation, and when a collection
 * drains. Each has a scanner. Outside of that only scanner 0 has work.
 *
 * An entry of a scanner's stack is one of
 *   the address of a small object         it is marked
 *   the same | 2                          in parallel: it may be marked; who scans it first marks
 * it first block << 32 | range << 2 | 1    parts of a large object, each as long as a block The
 * range (2 m + 1) 2^k is that of 2^k parts from m 2^k on; the largest heap has 2^29 parts. Of a
 * range that is not scanned at once the larger halves wait below the smaller, where others take
 * them first.
 */
#ifndef SPGC_GC_TRACE_MARK_H
#define SPGC_GC_TRACE_MARK_H

#include "gc/trace/trace_hook.h"
#include "gc/trace/worker_pool.h"
#include "heap/mark_bits.h"
#include "heap/trace_mode.h"
#include "heap/worklist.h"

enum { SPGC_MARK_PREFETCH_SLOTS = 16 };

/* What one worker of a marking has of its own. Written by it; scanner 0 by whoever holds the cycle
 * (gc/trace/cycle_thread.h). */
struct spgc_scanner {
  struct spgc_heap *heap; /* constant */
  const struct spgc_trace_hook
      *hook; /* told of each object as it is marked, or NULL: only alone, with the world stopped */
  struct spgc_worklist
      stack; /* marked objects to be scanned. Others than scanner 0 have one when first engaged */
  uint32_t prefetch_first;
  uintptr_t
      prefetch_queue[SPGC_MARK_PREFETCH_SLOTS]; /* small objects from the stack, being fetched:
                                                   prefetch_count from prefetch_first on */
  uint32_t prefetch_count;
  bool overflowed;                       /* some blocks have marks_wait ... */
  uint32_t first_waiting;                /* ... and none before this one */
  uint32_t end_waiting;                  /* ... or from this one on */
  size_t marked_bytes;                   /* objects that were scanned, or born marked */
  uint32_t counted_block, counted_bytes; /* in parallel: yet to be added to the block's `live` */
  unsigned char padding[SPGC_CACHE_LINES_APART]; /* not used */
};

static inline bool spgc_scanner_has_own(const struct spgc_scanner *scanner) {
  return scanner->stack.count != 0 || scanner->prefetch_count != 0;
}

/* Written by whoever holds the cycle. */
struct spgc_marker {
  struct spgc_heap *heap;
  bool active;
  struct spgc_parallelism parallelism; /* of the collection under way, or the last one */
  bool partial;
  uint32_t next_block, next_large,
      next_part;         /* where deferred cards are read next; blocks, or SPGC_BLOCK_NONE */
  bool marks_from_cards; /* what marked objects on them refer to is marked: see mark_cards.h */
  struct spgc_scanner scanners[SPGC_MOST_WORKERS];
};

/* False when the system refuses. */
bool spgc_marker_create(struct spgc_marker *marker, struct spgc_heap *heap);
void spgc_marker_destroy(struct spgc_marker *marker);

/* Nothing is to be swept. A partial marking needs marks that were kept. */
void spgc_marker_begin(struct spgc_marker *marker, bool partial);

/* In a collection that leaves nothing condemned, instead of reading the dirty cards: they are read
 * in the marking's steps. Returns how many. */
size_t spgc_marker_defer_cards(struct spgc_marker *marker);

/* In a collection that reads the dirty cards: whether it looks for young objects alone, and what
 * else they refer to is marked in the steps to come, for the cards stay deferred. To be taken back
 * when the cards have been read. */
void spgc_marker_set_cards_deferred(struct spgc_marker *marker, bool leave);

/* Accepts help, as far as the system grants stacks. */
void spgc_marker_engage(struct spgc_marker *marker, const struct spgc_parallelism *parallelism);

/* Forgets every mark. */
void spgc_marker_abandon(struct spgc_marker *marker);

/* All that lives is marked and scanned: spgc_sweep_begin follows. Are the marks kept? */
void spgc_marker_end(struct spgc_marker *marker, bool keeps_marks);

/* The bytes of the objects found live so far. */
size_t spgc_marker_bytes(const struct spgc_marker *marker);

/* What waits for other scanners waits for scanner 0 from now on. */
void spgc_marker_gather(struct spgc_marker *marker);

/* Scans about `bytes` of marked objects. Returns whether more wait. */
bool spgc_marker_step(struct spgc_marker *marker, size_t bytes);

/* Scans until nothing waits. With the world stopped; workers are called if there is much to do. */
void spgc_marker_drain(struct spgc_marker *marker);

/* A marked object of an old block, which is large or does not fit the stack, is to be scanned. */
void spgc_mark_push_rarely(struct spgc_scanner *scanner, uint32_t index);

SPGC_INLINE void spgc_mark_tell(const struct spgc_scanner *scanner, uintptr_t object) {
  if (__builtin_expect(scanner->hook != NULL, 0))
    scanner->hook->reached(scanner->hook->context, spgc_ref_from_word(object));
}

/* `word` lies in the range. What is young has its mark when it survives. */
SPGC_INLINE void spgc_mark(struct spgc_scanner *scanner, uintptr_t word,
                           enum spgc_trace_mode mode) {
  struct spgc_heap *heap = scanner->heap;
  uint32_t index = spgc_heap_block_of(heap, word);
  enum spgc_space space = spgc_heap_space(heap, index);
  if (space != SPGC_SPACE_OLD && space != SPGC_SPACE_OLD_LARGE)
    return;
  if (spgc_mark_bit_test_and_set(heap, word, mode))
    return;
  if (mode != SPGC_TRACE_PARALLEL)
    spgc_mark_tell(scanner, word);
  if (__builtin_expect(space == SPGC_SPACE_OLD && spgc_worklist_has_space(&scanner->stack, 1), 1))
    spgc_worklist_push(&scanner->stack, word);
  else
    spgc_mark_push_rarely(scanner, index);
}

/* A visitor of slots, alone. */
SPGC_INLINE void spgc_mark_slot(void *context, struct spgc_slot slot) {
  struct spgc_scanner *scanner = context;
  uintptr_t word =
      __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED); /* mutators may write it */
  if (spgc_heap_contains(scanner->heap, word))
    spgc_mark(scanner, word, SPGC_TRACE_SERIAL);
}

static inline void spgc_mark_flush_count(struct spgc_scanner *scanner) {
  if (scanner->counted_bytes != 0)
    __atomic_fetch_add(&scanner->heap->blocks[scanner->counted_block].live, scanner->counted_bytes,
                       __ATOMIC_RELAXED);
  scanner->counted_bytes = 0;
}

/* A small object. In company what is in one block is counted together. */
SPGC_INLINE void spgc_mark_count_in_block(struct spgc_scanner *scanner, uintptr_t object,
                                          size_t bytes, enum spgc_trace_mode mode) {
  uint32_t index = spgc_heap_block_of(scanner->heap, object);
  if (mode != SPGC_TRACE_PARALLEL) {
    scanner->heap->blocks[index].live += (uint32_t)bytes;
    return;
  }
  if (index != scanner->counted_block)
    spgc_mark_flush_count(scanner);
  scanner->counted_block = index;
  scanner->counted_bytes += (uint32_t)bytes;
}

/* A survivor that the collection itself scans is born marked. */
SPGC_INLINE void spgc_mark_survivor(struct spgc_scanner *scanner, uintptr_t object, size_t bytes,
                                    enum spgc_trace_mode mode) {
  spgc_mark_bits_cover(scanner->heap, object, bytes, mode);
  scanner->marked_bytes += bytes;
  spgc_mark_count_in_block(scanner, object, bytes, mode);
}

/* By who set the bit. */
static inline void spgc_mark_count_large(struct spgc_scanner *scanner, uint32_t index) {
  scanner->heap->blocks[index].live = 1;
  scanner->marked_bytes += scanner->heap->blocks[index].large_bytes;
}

static inline void spgc_mark_large_survivor(struct spgc_scanner *scanner, uint32_t index) {
  if (!spgc_mark_bit_test_and_set(scanner->heap, spgc_heap_block_start(scanner->heap, index),
                                  SPGC_TRACE_PARALLEL))
    spgc_mark_count_large(scanner, index);
}

#endif
