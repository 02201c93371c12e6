#include "gc/trace/mark.h"

#include "heap/condemn.h"
#include "heap/remembered/deferred.h"
#include "support/fatal.h"

bool spgc_marker_create(struct spgc_marker *marker, struct spgc_heap *heap) {
  *marker = (struct spgc_marker){.heap = heap, .next_block = SPGC_BLOCK_NONE};
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    marker->scanners[i].heap = heap;
  return spgc_worklist_provide(&marker->scanners[0].stack);
}

void spgc_marker_destroy(struct spgc_marker *marker) {
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    spgc_worklist_destroy(&marker->scanners[i].stack);
}

/* Small blocks, then large objects; SPGC_BLOCK_NONE at the end. */
static uint32_t or_first_large(const struct spgc_heap *heap, uint32_t small) {
  return small != SPGC_BLOCK_NONE ? small : heap->old_large.first;
}

static uint32_t old_after(const struct spgc_heap *heap, uint32_t index) {
  return spgc_heap_space(heap, index) == SPGC_SPACE_OLD_LARGE
             ? heap->blocks[index].next
             : or_first_large(heap, spgc_old_after(heap, index));
}

/* With `are_counted`, every block's `live` is final, so blocks without marks are skipped. */
static void forget_marks(struct spgc_heap *heap, bool are_counted) {
  for (uint32_t i = or_first_large(heap, spgc_old_first(heap)); i != SPGC_BLOCK_NONE;
       i = old_after(heap, i)) {
    if (are_counted && heap->blocks[i].live == 0)
      continue;
    spgc_mark_bits_clear(heap, i);
    heap->blocks[i].live = 0;
    heap->blocks[i].marks_wait = false;
  }
}

void spgc_marker_begin_cards(struct spgc_marker *marker, bool marks) {
  spgc_require(marker->active, "cards are deferred without a marking");
  marker->marks_from_cards = marks;
  marker->next_block = or_first_large(marker->heap, spgc_old_first(marker->heap));
  marker->next_part = 0;
}

void spgc_marker_begin(struct spgc_marker *marker, bool partial) {
  struct spgc_heap *heap = marker->heap;
  spgc_require(!marker->active && spgc_marker_is_idle(marker),
               "a marking begins before the last one ended");
  spgc_require(!partial || heap->keeps_marks, "a partial marking begins without marks");
  if (!partial) {
    forget_marks(heap, true);
    for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
      marker->scanners[i].marked_bytes = 0;
  }
  marker->partial = partial;
  marker->active = true;
  spgc_marker_begin_cards(marker, partial);
}

void spgc_marker_engage(struct spgc_marker *marker, const struct spgc_parallelism *parallelism) {
  uint32_t extra_workers = 0;
  while (extra_workers < parallelism->extra_workers &&
         spgc_worklist_provide(&marker->scanners[extra_workers + 1].stack))
    extra_workers++;
  marker->parallelism =
      (struct spgc_parallelism){parallelism->pool, extra_workers, parallelism->at_once};
}

void spgc_compaction_forget(struct spgc_marker *marker) {
  spgc_candidates_forget(marker->heap);
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    marker->scanners[i].recorder.chunk = NULL;
  spgc_recorded_forget(&marker->heap->recorded);
}

void spgc_marker_abandon(struct spgc_marker *marker) {
  struct spgc_scanner *scanner = &marker->scanners[0];
  forget_marks(marker->heap, false);
  marker->heap->keeps_marks = false;
  marker->next_block = SPGC_BLOCK_NONE;
  spgc_compaction_forget(marker);
  scanner->stack.count = 0;
  scanner->prefetch_count = 0;
  scanner->overflowed = marker->active = false;
}

void spgc_marker_end(struct spgc_marker *marker, bool keeps_marks) {
  spgc_require(marker->active && spgc_marker_is_idle(marker),
               "a marking ends while %u objects wait", marker->scanners[0].stack.count);
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    if (marker->scanners[i].stack.entries != NULL)
      spgc_worklist_trim(&marker->scanners[i].stack);
  marker->heap->keeps_marks = keeps_marks;
  marker->active = false;
}

size_t spgc_marker_bytes(const struct spgc_marker *marker) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    bytes += marker->scanners[i].marked_bytes;
  return bytes;
}

enum { TAG_BITS = 2 };

_Static_assert((SPGC_MARK_RANGE | SPGC_MARK_UNSURE) < 1 << TAG_BITS, "tags fit their bits");

static void await(struct spgc_scanner *scanner, uint32_t first, uint32_t end) {
  if (!scanner->overflowed || first < scanner->first_waiting)
    scanner->first_waiting = first;
  if (!scanner->overflowed || end > scanner->end_waiting)
    scanner->end_waiting = end;
  scanner->overflowed = true;
}

/* The block's marked objects do not fit the stack. */
static void wait_with_block(struct spgc_scanner *scanner, uint32_t index) {
  __atomic_store_n(&scanner->heap->blocks[index].marks_wait, true, __ATOMIC_RELAXED);
  await(scanner, index, index + 1);
}

uint32_t spgc_mark_next_waiting(struct spgc_scanner *scanner) {
  struct spgc_block *blocks = scanner->heap->blocks;
  for (uint32_t i = scanner->first_waiting; i < scanner->end_waiting; i++)
    if (blocks[i].marks_wait) {
      blocks[i].marks_wait = false;
      scanner->first_waiting = i + 1;
      return i;
    }
  scanner->overflowed = false;
  return SPGC_BLOCK_NONE;
}

uint32_t spgc_mark_open_range(struct spgc_scanner *scanner, uintptr_t range) {
  uint32_t index = (uint32_t)(range >> 32), part = (uint32_t)range >> TAG_BITS;
  if (part + 1 < scanner->heap->blocks[index].run)
    spgc_worklist_push(&scanner->stack, range + (1 << TAG_BITS));
  return index + part;
}

void spgc_mark_push_large(struct spgc_scanner *scanner, uint32_t index) {
  const struct spgc_type *type = spgc_object_type(spgc_heap_first_object(scanner->heap, index));
  if (!spgc_type_has_references(type) || spgc_type_is_weak(type))
    return;
  if (spgc_worklist_has_space(&scanner->stack, 1))
    spgc_worklist_push(&scanner->stack, (uintptr_t)index << 32 | SPGC_MARK_RANGE);
  else
    wait_with_block(scanner, index);
}

/* Called only by the worker that has set its bit. */
static void count_large(struct spgc_scanner *scanner, uint32_t index) {
  scanner->heap->blocks[index].live = 1;
  scanner->marked_bytes += scanner->heap->blocks[index].large_bytes;
}

void spgc_mark_large_survivor(struct spgc_scanner *scanner, uint32_t index) {
  if (!spgc_mark_bit_test_and_set(scanner->heap, spgc_heap_first_object(scanner->heap, index),
                                  SPGC_TRACE_PARALLEL))
    count_large(scanner, index);
}

__attribute__((noinline)) void spgc_mark_push_rarely(struct spgc_scanner *scanner, uint32_t index) {
  if (spgc_heap_space(scanner->heap, index) != SPGC_SPACE_OLD_LARGE) {
    wait_with_block(scanner, index);
    return;
  }
  count_large(scanner, index);
  spgc_mark_push_large(scanner, index);
}

void spgc_scanner_keep(struct spgc_scanner *scanner, uintptr_t entry) {
  if ((entry & SPGC_MARK_UNSURE) != 0) {
    entry &= ~(uintptr_t)SPGC_MARK_UNSURE;
    if (spgc_mark_bit_test_and_set(scanner->heap, (struct spgc_ref){entry}, SPGC_TRACE_PARALLEL))
      return;
  }
  if (spgc_worklist_has_space(&scanner->stack, 1))
    spgc_worklist_push(&scanner->stack, entry);
  else
    wait_with_block(scanner, spgc_mark_is_range(entry) ? (uint32_t)(entry >> 32)
                                                       : spgc_heap_block_of(scanner->heap, entry));
}

void spgc_scanner_settle(struct spgc_scanner *scanner) {
  uint32_t count = scanner->stack.count;
  scanner->stack.count = 0;
  for (uint32_t i = 0; i < count; i++)
    spgc_scanner_keep(scanner, scanner->stack.entries[i]);
  for (; scanner->prefetch_count != 0; scanner->prefetch_count--)
    spgc_scanner_keep(
        scanner, scanner->prefetch_queue[(scanner->prefetch_first + scanner->prefetch_count - 1) %
                                         SPGC_PREFETCHED]);
}

/* The other worker has stopped. */
static void take_over(struct spgc_scanner *scanner, struct spgc_scanner *other) {
  while (other->stack.count != 0)
    spgc_scanner_keep(scanner, spgc_worklist_pop(&other->stack));
  if (other->overflowed)
    await(scanner, other->first_waiting, other->end_waiting);
  other->overflowed = false;
}

void spgc_marker_gather(struct spgc_marker *marker) {
  for (uint32_t i = 1; i <= marker->parallelism.extra_workers; i++)
    take_over(&marker->scanners[0], &marker->scanners[i]);
  for (uint32_t i = 0; i <= marker->parallelism.extra_workers; i++)
    spgc_mark_flush_count(&marker->scanners[i]);
}

/* Deferred cards: roots of a partial marking, and changed fields of marked objects. */
SPGC_INLINE void visit_part(struct spgc_scanner *scanner, struct spgc_ref object, uintptr_t from,
                            uintptr_t to, spgc_slot_visitor visit) {
  struct spgc_window window = {from, to, visit, scanner};
  const struct spgc_type *type = spgc_object_type(object);
  if (!spgc_type_is_weak(type))
    spgc_object_visit_within(object, type, &window);
}

SPGC_INLINE void fetch_mark(void *context, struct spgc_slot slot) {
  const struct spgc_scanner *scanner = context;
  uintptr_t word = __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED);
  if (spgc_heap_contains(scanner->heap, word))
    __builtin_prefetch(
        spgc_mark_bits_of(scanner->heap, (word - scanner->heap->base) / SPGC_WORD_BYTES), 1);
}

static __attribute__((noinline)) void
fetch_marks_of(struct spgc_scanner *scanner, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  visit_part(scanner, object, from, to, fetch_mark);
}

SPGC_INLINE void mark_slot(void *context, struct spgc_slot slot) {
  struct spgc_scanner *scanner = context;
  uintptr_t word = __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED); /* mutators write */
  if (spgc_heap_contains(scanner->heap, word))
    spgc_mark_field(scanner, slot, (struct spgc_ref){word}, SPGC_TRACE_SERIAL);
}

static __attribute__((noinline)) void mark_children_of(struct spgc_scanner *scanner,
                                                       struct spgc_ref object, uintptr_t from,
                                                       uintptr_t to) {
  visit_part(scanner, object, from, to, mark_slot);
}

/* Inline, because many objects on a card are not marked. */
SPGC_INLINE void fetch_marks_from(void *context, struct spgc_ref object, uintptr_t from,
                                  uintptr_t to) {
  struct spgc_scanner *scanner = context;
  if (spgc_mark_bit_is_set(scanner->heap, object))
    fetch_marks_of(scanner, object, from, to);
}

SPGC_INLINE void mark_from(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct spgc_scanner *scanner = context;
  if (spgc_mark_bit_is_set(scanner->heap, object))
    mark_children_of(scanner, object, from, to);
}

size_t spgc_marker_read_cards(struct spgc_marker *marker) {
  struct spgc_heap *heap = marker->heap;
  const struct spgc_deferred_visitor visitor = {.fetch = fetch_marks_from,
                                                .visit = mark_from,
                                                .context = &marker->scanners[0],
                                                .visits = marker->marks_from_cards};
  uint32_t first = marker->next_block, part = marker->next_part++;
  if (spgc_heap_space(heap, first) != SPGC_SPACE_OLD_LARGE ||
      marker->next_part == heap->blocks[first].run) {
    marker->next_block = old_after(heap, first);
    marker->next_part = 0;
  }
  return spgc_deferred_cards_scan(heap, first + part, &visitor);
}
