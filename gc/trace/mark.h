/* Marking: finds the live set of the old space, while mutators run between its steps.
 *
 *   spgc_marker_begin      in a collection, before the roots are visited
 *   spgc_marker_engage     in any collection whose workers may mark
 *   spgc_mark              for each reference into the old space from a root, a survivor or a card
 *   spgc_marker_gather     after workers of an evacuation have marked
 *   spgc_marker_step       at any safepoint
 *   spgc_marker_drain      in a collection that has visited the roots
 *
 * Old objects do not move meanwhile.
 *
 * Invariant after each collection: a child of a marked and scanned object is marked, or the field
 * is on a deferred card that the marking has yet to scan. Mutators break it; collections scan or
 * defer the dirty cards. Survivors are born marked, or old and unmarked. The marking is complete
 * when one collection has visited all roots and cards and drained the worklists. What dies
 * meanwhile may be found live.
 *
 * A *partial* marking begins with the last one's marks (heap->keeps_marks), and scans only objects
 * promoted since, from the roots and the deferred cards. A *full* marking clears all marks first.
 *
 * With the world stopped, or in a step of a mutator, workers may mark in parallel, each with its
 * scanner. Between runs only scanner 0 has entries, and all of them are sure.
 *
 * An entry of a scanner's stack is one of
 *   address of a small object             the object is marked
 *   address of a small object | 2         in parallel: it may be marked, and the first worker that
 *                                         scans it marks it
 *   first block << 32 | part << 2 | 1     the rest of a large object, from this part onwards
 *
 * A part is as long as a block; the largest heap has 2^29. The rest is below a scanned part's
 * children on the stack, so that other workers take it first. The block of an object that does not
 * fit the stack is flagged, and its marked objects are scanned again when the stack is empty. */
#ifndef SPGC_GC_TRACE_MARK_H
#define SPGC_GC_TRACE_MARK_H

#include "gc/trace/liveness.h"
#include "gc/trace/worker_pool.h"
#include "heap/mark_bits.h"
#include "heap/remembered/recorded.h"
#include "heap/worklist.h"

/* `meson configure -Dprefetch_queue=false` leaves the queues out, for bench/ablation. An option at
 * run time would cost what they gain. */
#ifdef SPGC_WITHOUT_PREFETCH_QUEUE
enum { SPGC_HAS_PREFETCH_QUEUE = 0 };
#else
enum { SPGC_HAS_PREFETCH_QUEUE = 1 };
#endif

/* Written by its worker; scanner 0 by the holder of the cycle. */
struct spgc_scanner {
  struct spgc_heap *heap;
  const struct spgc_trace_hook *hook; /* for each object marked; serial, with the world stopped */
  struct spgc_worklist stack;         /* marked objects to be scanned. Scanner 0 always has one */
  uint32_t prefetch_first;
  uintptr_t prefetch_queue[SPGC_PREFETCHED]; /* circular; prefetch_count small objects */
  uint32_t prefetch_count;
  struct spgc_recorder recorder;         /* of slots that refer into candidate blocks */
  bool overflowed;                       /* some blocks have marks_wait ... */
  uint32_t first_waiting;                /* none before this block ... */
  uint32_t end_waiting;                  /* ... nor from this one onwards */
  size_t marked_bytes;                   /* scanned or born marked; may wrap: only the sum counts */
  uint32_t counted_block, counted_bytes; /* in parallel: not yet added to the block's `live` */
  ptrdiff_t claimed_bytes;               /* in parallel: to be scanned before the next claim */
  unsigned char padding[SPGC_CACHE_LINES_APART];
};

static inline bool spgc_scanner_has_own(const struct spgc_scanner *scanner) {
  return scanner->stack.count != 0 || scanner->prefetch_count != 0;
}

/* Written by the holder of the cycle. */
struct spgc_marker {
  struct spgc_heap *heap;
  bool active;
  struct spgc_parallelism parallelism; /* of the current or last collection */
  bool partial;
  uint32_t next_block, next_part; /* of deferred cards: block or large object, its part */
  bool marks_from_cards;          /* see spgc_marker_read_cards */
  ptrdiff_t unclaimed_bytes;      /* in parallel; claimed atomically */
  struct spgc_scanner scanners[SPGC_MOST_WORKERS];
};

bool spgc_marker_create(struct spgc_marker *marker, struct spgc_heap *heap);
void spgc_marker_destroy(struct spgc_marker *marker);

/* Every block is swept. A partial marking requires kept marks. */
void spgc_marker_begin(struct spgc_marker *marker, bool partial);

/* The steps scan deferred cards again, or without `marks` only clean them. */
void spgc_marker_begin_cards(struct spgc_marker *marker, bool marks);

/* Engages as many as the system grants stacks. */
void spgc_marker_engage(struct spgc_marker *marker, const struct spgc_parallelism *parallelism);

/* Also clears every mark. */
void spgc_marker_abandon(struct spgc_marker *marker);

/* Before spgc_sweep_begin. `keeps_marks` allows a partial marking next. */
void spgc_marker_end(struct spgc_marker *marker, bool keeps_marks);

/* Found or counted as live so far. */
size_t spgc_marker_bytes(const struct spgc_marker *marker);

void spgc_marker_gather(struct spgc_marker *marker);

/* An entry of any stack: marks its object, and pushes it unless another worker has marked it. */
void spgc_scanner_keep(struct spgc_scanner *scanner, uintptr_t entry);

/* A worker stops: marks its entries' objects, and empties the prefetch queue. */
void spgc_scanner_settle(struct spgc_scanner *scanner);

/* Marks about `bytes`, or less once it has read as many on cards, which have their own budget, so
 * that dirty cards do not stop the progress. Returns whether marked objects are left. */
bool spgc_marker_step(struct spgc_marker *marker, size_t bytes, bool with_workers);

/* The world is stopped. */
void spgc_marker_drain(struct spgc_marker *marker);

struct spgc_liveness spgc_marker_liveness(struct spgc_marker *marker);

/* A marked object of block `index`, if it is large or the stack is full. */
void spgc_mark_push_rarely(struct spgc_scanner *scanner, uint32_t index);

/* `object` is in the range. A young one gets its mark when it survives. */
SPGC_INLINE void spgc_mark(struct spgc_scanner *scanner, struct spgc_ref object,
                           enum spgc_trace_mode mode) {
  struct spgc_heap *heap = scanner->heap;
  uint32_t index = spgc_heap_block_of(heap, object.word);
  enum spgc_space space = spgc_heap_space(heap, index);
  if (!spgc_space_is_old(space))
    return;
  if (spgc_mark_bit_test_and_set(heap, object, mode))
    return;
  if (mode != SPGC_TRACE_PARALLEL && __builtin_expect(scanner->hook != NULL, 0))
    scanner->hook->reached(scanner->hook->context, object);
  if (__builtin_expect(space == SPGC_SPACE_OLD_CANDIDATE, 0))
    spgc_candidate_add_work(heap, index);
  if (__builtin_expect(space != SPGC_SPACE_OLD_LARGE && spgc_worklist_has_space(&scanner->stack, 1),
                       1))
    spgc_worklist_push(&scanner->stack, object.word);
  else
    spgc_mark_push_rarely(scanner, index);
}

/* A scanned object's field; a compaction may move its child. */
SPGC_INLINE void spgc_mark_field(struct spgc_scanner *scanner, struct spgc_slot slot,
                                 struct spgc_ref object, enum spgc_trace_mode mode) {
  uint32_t index = spgc_heap_block_of(scanner->heap, object.word);
  if (__builtin_expect(spgc_heap_space(scanner->heap, index) == SPGC_SPACE_OLD_CANDIDATE, 0))
    spgc_record(scanner->heap, &scanner->recorder, slot, index);
  spgc_mark(scanner, object, mode);
}

static inline void spgc_mark_flush_count(struct spgc_scanner *scanner) {
  if (scanner->counted_bytes != 0)
    __atomic_fetch_add(&scanner->heap->blocks[scanner->counted_block].live, scanner->counted_bytes,
                       __ATOMIC_RELAXED);
  scanner->counted_bytes = 0;
}

/* In parallel, a block's objects are counted together. */
SPGC_INLINE void spgc_mark_count_in_block(struct spgc_scanner *scanner, struct spgc_ref object,
                                          size_t bytes, enum spgc_trace_mode mode) {
  uint32_t index = spgc_heap_block_of(scanner->heap, object.word);
  if (mode != SPGC_TRACE_PARALLEL) {
    scanner->heap->blocks[index].live += (uint32_t)bytes;
    return;
  }
  if (index != scanner->counted_block)
    spgc_mark_flush_count(scanner);
  scanner->counted_block = index;
  scanner->counted_bytes += (uint32_t)bytes;
}

/* The collection itself scans it. */
SPGC_INLINE void spgc_mark_survivor(struct spgc_scanner *scanner, struct spgc_ref object,
                                    size_t bytes, enum spgc_trace_mode mode) {
  scanner->marked_bytes += bytes;
  spgc_mark_count_in_block(scanner, object, bytes, mode);
  spgc_mark_bits_cover(scanner->heap, object, bytes, mode);
  if (__builtin_expect(spgc_type_is_weak(spgc_object_type(object)), 0))
    spgc_heap_flag_weak(scanner->heap, object);
}

void spgc_mark_large_survivor(struct spgc_scanner *scanner, uint32_t index);

static inline bool spgc_marker_has_cards(const struct spgc_marker *marker) {
  return marker->next_block != SPGC_BLOCK_NONE;
}

static inline bool spgc_marker_is_idle(const struct spgc_marker *marker) {
  const struct spgc_scanner *scanner = &marker->scanners[0];
  return !spgc_scanner_has_own(scanner) && !scanner->overflowed && !spgc_marker_has_cards(marker);
}

/* Those of one block, or of a block of a large object. Cards deferred before a full marking began
 * are only cleaned. Returns the bytes read. */
size_t spgc_marker_read_cards(struct spgc_marker *marker);

enum {
  SPGC_MARK_RANGE = 1,  /* parts of a large object */
  SPGC_MARK_UNSURE = 2, /* may be marked; only in parallel marking */
};

static inline bool spgc_mark_is_range(uintptr_t entry) {
  return (entry & SPGC_MARK_RANGE) != 0;
}

/* Pushes the other parts of a popped range. Returns the first part's block. */
uint32_t spgc_mark_open_range(struct spgc_scanner *scanner, uintptr_t range);

void spgc_mark_push_large(struct spgc_scanner *scanner, uint32_t index);

/* Takes a block's flag; SPGC_BLOCK_NONE if there is none. */
uint32_t spgc_mark_next_waiting(struct spgc_scanner *scanner);

/* ---- Compaction (docs/collections.md) ----
 *
 *   spgc_candidates_choose    in the stop that begins the marking: sparse blocks become candidates
 *   spgc_record               the marking records each field that refers into a candidate
 *   spgc_condemn_candidates   in the final mark, when live bytes are exact
 *   spgc_evacuation_scan_recorded   copies their objects, and updates the recorded fields
 *   spgc_compaction_forget    makes the other candidates ordinary old blocks again
 *
 * As in Detlefs and others, "Garbage-first garbage collection" (ISMM 2004), and V8 (Degenbaev and
 * others, "Idle-time garbage-collection scheduling", PLDI 2016). */

/* Its candidates and their recorded slots. */
void spgc_compaction_forget(struct spgc_marker *marker);

#endif
