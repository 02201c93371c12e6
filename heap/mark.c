#include "heap/mark.h"

#include "support/fatal.h"

enum { LARGE_TAG = 1, LARGE_STEP = SPGC_BLOCK_BYTES, LARGE_ENTRIES = 2 };

bool spgc_marker_create(struct spgc_marker *marker, struct spgc_heap *heap) {
  *marker = (struct spgc_marker){.heap = heap};
  return spgc_work_stack_create(&marker->stack);
}

void spgc_marker_destroy(struct spgc_marker *marker) {
  spgc_work_stack_destroy(&marker->stack);
}

static bool is_idle(const struct spgc_marker *marker) {
  return marker->stack.count == 0 && marker->ring_first == marker->ring_next && !marker->overflowed;
}

void spgc_marker_begin(struct spgc_marker *marker) {
  struct spgc_heap *heap = marker->heap;
  spgc_require(!marker->active && is_idle(marker), "a marking begins before the last one ended");
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    heap->blocks[i].live = 0;
  marker->active = true;
  marker->marked_bytes = marker->marked_large_bytes = 0;
}

void spgc_marker_abandon(struct spgc_marker *marker) {
  struct spgc_heap *heap = marker->heap;
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    spgc_mark_bits_clear(heap, i);
    heap->blocks[i].marks_wait = false;
  }
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    spgc_mark_bits_clear(heap, i);
    heap->blocks[i].marks_wait = false;
  }
  marker->stack.count = 0;
  marker->ring_first = marker->ring_next = 0;
  marker->active = marker->overflowed = false;
}

void spgc_marker_end(struct spgc_marker *marker) {
  spgc_require(marker->active && is_idle(marker), "a marking ends while %u objects wait", marker->stack.count);
  spgc_work_stack_trim(&marker->stack);
  marker->active = false;
}

__attribute__((noinline)) void spgc_mark_overflow(struct spgc_marker *marker, uint32_t index) {
  marker->heap->blocks[index].marks_wait = true;
  if (!marker->overflowed || index < marker->first_waiting)
    marker->first_waiting = index;
  if (!marker->overflowed || index >= marker->end_waiting)
    marker->end_waiting = index + 1;
  marker->overflowed = true;
}

static void push_large_from(struct spgc_marker *marker, uint32_t index, size_t offset) {
  if (!spgc_work_stack_has_room(&marker->stack, LARGE_ENTRIES)) {
    spgc_mark_overflow(marker, index);
    return;
  }
  spgc_work_stack_push(&marker->stack, offset);
  spgc_work_stack_push(&marker->stack, spgc_heap_block_start(marker->heap, index) | LARGE_TAG);
}

__attribute__((noinline)) void spgc_mark_push_large(struct spgc_marker *marker, uint32_t index) {
  marker->marked_large_bytes += marker->heap->blocks[index].large_bytes;
  push_large_from(marker, index, 0);
}

SPGC_INLINE void mark_slot(void *context, struct spgc_slot slot) {
  struct spgc_marker *marker = context;
  uintptr_t word = __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED); /* mutators may write it */
  if (spgc_heap_contains(marker->heap, word))
    spgc_mark(marker, word);
}

/* A part of a large object, so that neither its length nor what it refers to makes a step long. */
static size_t scan_large(struct spgc_marker *marker, uintptr_t object) {
  const struct spgc_type *type = spgc_object_type(object);
  size_t offset = spgc_work_stack_pop(&marker->stack), bytes = spgc_object_bytes(object, type);
  if (!spgc_type_has_references(type))
    return 0;
  if (bytes - offset > LARGE_STEP)
    push_large_from(marker, spgc_heap_block_of(marker->heap, object), offset + LARGE_STEP);
  struct spgc_window window = {object + offset, object + offset + LARGE_STEP, mark_slot, marker};
  spgc_object_visit_within(object, type, &window);
  return LARGE_STEP;
}

SPGC_INLINE size_t scan_small(struct spgc_marker *marker, uintptr_t object) {
  const struct spgc_type *type = spgc_object_type(object);
  size_t bytes = spgc_object_bytes(object, type);
  marker->heap->blocks[spgc_heap_block_of(marker->heap, object)].live += (uint32_t)bytes;
  marker->marked_bytes += bytes;
  spgc_mark_bits_cover(marker->heap, object, bytes);
  spgc_object_visit(object, type, mark_slot, marker);
  return bytes;
}

/* Objects on the stack are fetched a few before they are scanned. */
static size_t scan_next(struct spgc_marker *marker) {
  while (marker->stack.count != 0 && marker->ring_next - marker->ring_first < SPGC_MARK_RING) {
    uintptr_t entry = spgc_work_stack_pop(&marker->stack);
    if ((entry & LARGE_TAG) != 0)
      return scan_large(marker, entry - LARGE_TAG);
    __builtin_prefetch((void *)entry);
    marker->ring[marker->ring_next++ % SPGC_MARK_RING] = entry;
  }
  if (marker->ring_first == marker->ring_next)
    return 0;
  return scan_small(marker, marker->ring[marker->ring_first++ % SPGC_MARK_RING]);
}

/* Scans all marked objects of a block again. Nothing is on the stack, so that they can be counted anew. */
static void rescan_small(struct spgc_marker *marker, uint32_t index) {
  struct spgc_heap *heap = marker->heap;
  spgc_mark_words marks;
  memcpy(marks, heap->marks[index], sizeof marks);
  marker->marked_bytes -= heap->blocks[index].live;
  heap->blocks[index].live = 0;
  enum { WORDS = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES };
  size_t word = 0;
  while ((word = spgc_mark_bits_next(marks, word, SPGC_MARK_BITS_SET)) < WORDS)
    word += scan_small(marker, spgc_heap_block_start(heap, index) + word * SPGC_WORD_BYTES) / SPGC_WORD_BYTES;
}

/* Resumes with one of the blocks that did not fit the stack. */
static void rescan_waiting(struct spgc_marker *marker) {
  struct spgc_heap *heap = marker->heap;
  for (uint32_t i = marker->first_waiting; i < marker->end_waiting; i++) {
    if (!heap->blocks[i].marks_wait)
      continue;
    heap->blocks[i].marks_wait = false;
    marker->first_waiting = i + 1;
    if (spgc_heap_space(heap, i) == SPGC_SPACE_OLD_LARGE)
      push_large_from(marker, i, 0);
    else
      rescan_small(marker, i);
    return;
  }
  marker->overflowed = false;
}

bool spgc_marker_step(struct spgc_marker *marker, size_t bytes) {
  size_t scanned = 0;
  while (scanned < bytes && !is_idle(marker)) {
    if (marker->stack.count != 0 || marker->ring_first != marker->ring_next) {
      scanned += scan_next(marker);
    } else {
      rescan_waiting(marker);
      scanned += SPGC_BLOCK_BYTES;
    }
  }
  return !is_idle(marker);
}

void spgc_marker_drain(struct spgc_marker *marker) {
  while (spgc_marker_step(marker, SIZE_MAX))
    continue;
}
