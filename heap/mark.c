#include "heap/mark.h"

#include "heap/card.h"
#include "heap/crew.h"
#include "heap/mark_cards.h"
#include "support/fatal.h"

enum {
  TAG_RANGE = 1, /* of an entry */
  TAG_UNSURE = 2,
  TAG_BITS = 2,
  STEP_BYTES = 256 << 10, /* marked alone between two looks at whether help is worth it */
  WORTH_HELP_ENTRIES = 8,
};

/* Creation, beginning and end. */

bool spgc_marker_create(struct spgc_marker *marker, struct spgc_heap *heap) {
  *marker = (struct spgc_marker){.heap = heap, .next_block = SPGC_BLOCK_NONE, .next_large = SPGC_BLOCK_NONE};
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    marker->scanners[i].heap = heap;
  return spgc_work_stack_provide(&marker->scanners[0].stack);
}

void spgc_marker_destroy(struct spgc_marker *marker) {
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    spgc_work_stack_destroy(&marker->scanners[i].stack);
}

SPGC_INLINE bool has_own(const struct spgc_scanner *scanner) {
  return scanner->stack.count != 0 || scanner->ring_first != scanner->ring_next;
}

static bool is_idle(const struct spgc_marker *marker) {
  return !has_own(&marker->scanners[0]) && !marker->scanners[0].overflowed && !spgc_marker_has_cards(marker);
}

static void forget_marks(struct spgc_heap *heap, const struct spgc_block_list *list) {
  for (uint32_t i = list->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    spgc_mark_bits_clear(heap, i);
    heap->blocks[i].live = 0;
    heap->blocks[i].marks_wait = false;
  }
}

static void forget_all_marks(struct spgc_heap *heap) {
  forget_marks(heap, &heap->old);
  forget_marks(heap, &heap->old_large);
}

static void keep_marks(struct spgc_heap *heap, bool keep) {
  heap->keeps_marks = keep;
  heap->card_once_read = keep ? SPGC_CARD_REMEMBERED : SPGC_CARD_CLEAN;
}

static void begin_reading_cards(struct spgc_marker *marker, bool marks) {
  marker->marks_from_cards = marks;
  marker->next_block = marker->heap->old.first;
  marker->next_large = marker->heap->old_large.first;
  marker->next_part = 0;
}

size_t spgc_marker_take_cards(struct spgc_marker *marker) {
  begin_reading_cards(marker, true);
  return spgc_cards_pass_all(marker->heap, SPGC_CARD_REMEMBERED);
}

void spgc_marker_leave_cards(struct spgc_marker *marker, bool leave) {
  spgc_require(marker->active, "cards are left to no marking");
  if (leave)
    begin_reading_cards(marker, true);
  marker->heap->card_once_read = leave ? SPGC_CARD_REMEMBERED : SPGC_CARD_CLEAN;
}

void spgc_marker_begin(struct spgc_marker *marker, bool partial) {
  struct spgc_heap *heap = marker->heap;
  spgc_require(!marker->active && is_idle(marker), "a marking begins before the last one ended");
  spgc_require(!partial || heap->keeps_marks, "a partial marking begins without marks");
  if (!partial) {
    forget_all_marks(heap);
    for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
      marker->scanners[i].marked_bytes = 0;
  }
  begin_reading_cards(marker, partial);
  heap->card_once_read = SPGC_CARD_CLEAN; /* what marked objects refer to on cards that are read is marked */
  marker->partial = partial;
  marker->active = true;
}

void spgc_marker_engage(struct spgc_marker *marker, const struct spgc_help *help) {
  uint32_t helpers = 0;
  while (helpers < help->helpers && spgc_work_stack_provide(&marker->scanners[helpers + 1].stack))
    helpers++;
  marker->help = (struct spgc_help){help->crew, helpers, help->at_once};
}

void spgc_marker_abandon(struct spgc_marker *marker) {
  struct spgc_scanner *scanner = &marker->scanners[0];
  forget_all_marks(marker->heap);
  keep_marks(marker->heap, false);
  marker->next_block = marker->next_large = SPGC_BLOCK_NONE;
  scanner->stack.count = 0;
  scanner->ring_first = scanner->ring_next = 0;
  scanner->overflowed = marker->active = false;
}

void spgc_marker_end(struct spgc_marker *marker, bool keeps_marks) {
  spgc_require(marker->active && is_idle(marker), "a marking ends while %u objects wait",
               marker->scanners[0].stack.count);
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    if (marker->scanners[i].stack.entries != NULL)
      spgc_work_stack_trim(&marker->scanners[i].stack);
  keep_marks(marker->heap, keeps_marks);
  marker->active = false;
}

size_t spgc_marker_bytes(const struct spgc_marker *marker) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    bytes += marker->scanners[i].marked_bytes;
  return bytes;
}

/* What does not fit a stack. */

static void await(struct spgc_scanner *scanner, uint32_t first, uint32_t end) {
  if (!scanner->overflowed || first < scanner->first_waiting)
    scanner->first_waiting = first;
  if (!scanner->overflowed || end > scanner->end_waiting)
    scanner->end_waiting = end;
  scanner->overflowed = true;
}

__attribute__((noinline)) void spgc_mark_overflow(struct spgc_scanner *scanner, uint32_t index) {
  __atomic_store_n(&scanner->heap->blocks[index].marks_wait, true, __ATOMIC_RELAXED);
  await(scanner, index, index + 1);
}

SPGC_INLINE uint32_t block_of_entry(const struct spgc_heap *heap, uintptr_t entry) {
  return (entry & TAG_RANGE) != 0 ? (uint32_t)(entry >> 32) : spgc_heap_block_of(heap, entry);
}

/* The other's objects are scanned by scanner 0, which is not full unless very much waits. */
static void take_over(struct spgc_scanner *scanner, struct spgc_scanner *other) {
  while (other->stack.count != 0) {
    uintptr_t entry = spgc_work_stack_pop(&other->stack);
    if (spgc_work_stack_has_room(&scanner->stack, 1))
      spgc_work_stack_push(&scanner->stack, entry);
    else
      spgc_mark_overflow(scanner, block_of_entry(scanner->heap, entry));
  }
  if (other->overflowed)
    await(scanner, other->first_waiting, other->end_waiting);
  other->overflowed = false;
}

void spgc_marker_gather(struct spgc_marker *marker) {
  for (uint32_t i = 0; i <= marker->help.helpers; i++)
    spgc_mark_count_kept(&marker->scanners[i]);
  for (uint32_t i = 1; i <= marker->help.helpers; i++)
    take_over(&marker->scanners[0], &marker->scanners[i]);
}

/* Large objects. */

static void push_range(struct spgc_scanner *scanner, uint32_t index, uint32_t first, uint32_t halves) {
  uintptr_t range = (2 * ((uintptr_t)first >> halves) + 1) << halves;
  spgc_work_stack_push(&scanner->stack, (uintptr_t)index << 32 | range << TAG_BITS | TAG_RANGE);
}

static void push_large(struct spgc_scanner *scanner, uint32_t index) {
  uint32_t parts = scanner->heap->blocks[index].run, halves = 0;
  while (UINT32_C(1) << halves < parts)
    halves++;
  if (!spgc_type_has_references(spgc_object_type(spgc_heap_block_start(scanner->heap, index))))
    return;
  if (spgc_work_stack_has_room(&scanner->stack, 1))
    push_range(scanner, index, 0, halves);
  else
    spgc_mark_overflow(scanner, index);
}

__attribute__((noinline)) void spgc_mark_push_large(struct spgc_scanner *scanner, uint32_t index) {
  scanner->marked_bytes += scanner->heap->blocks[index].large_bytes;
  push_large(scanner, index);
}

/* Leaves the first part of the range to the caller, and pushes the others. False when there is no room for them: the
 * object is to be scanned anew. */
static bool split_range(struct spgc_scanner *scanner, uint32_t index, uint32_t first, uint32_t halves) {
  if (!spgc_work_stack_has_room(&scanner->stack, halves)) {
    spgc_mark_overflow(scanner, index);
    return false;
  }
  while (halves-- != 0)
    if (first + (UINT32_C(1) << halves) < scanner->heap->blocks[index].run)
      push_range(scanner, index, first + (UINT32_C(1) << halves), halves);
  return true;
}

/* Scanning. Objects on the stack are fetched a few before they are scanned. */

/* What costs most in company are atomic writes: a small object is marked when it is scanned, whole and at once. Until
 * then others may push it, too. */
SPGC_INLINE void mark_slot_shared(void *context, struct spgc_slot slot) {
  struct spgc_scanner *scanner = context;
  uintptr_t word = slot.location->word;
  if (!spgc_heap_contains(scanner->heap, word))
    return;
  bool small = spgc_heap_space(scanner->heap, spgc_heap_block_of(scanner->heap, word)) == SPGC_SPACE_OLD;
  if (!small || !spgc_work_stack_has_room(&scanner->stack, 1))
    spgc_mark(scanner, word, SPGC_SHARED);
  else if (!spgc_mark_bit_is_set(scanner->heap, word))
    spgc_work_stack_push(&scanner->stack, word | TAG_UNSURE);
}

SPGC_INLINE spgc_slot_visitor mark_slot_in(enum spgc_company company) {
  return company == SPGC_ALONE ? spgc_mark_slot : mark_slot_shared;
}

SPGC_INLINE size_t scan_part(struct spgc_scanner *scanner, uintptr_t entry, enum spgc_company company) {
  uint32_t index = (uint32_t)(entry >> 32), range = (uint32_t)entry >> TAG_BITS;
  uint32_t halves = (uint32_t)__builtin_ctz(range), first = range >> (halves + 1) << halves;
  if (!split_range(scanner, index, first, halves))
    return 0;
  uintptr_t object = spgc_heap_block_start(scanner->heap, index);
  uintptr_t from = object + ((uintptr_t)first << SPGC_BLOCK_SHIFT);
  struct spgc_window window = {from, from + SPGC_BLOCK_BYTES, mark_slot_in(company), scanner};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
  return SPGC_BLOCK_BYTES;
}

SPGC_INLINE size_t scan_small(struct spgc_scanner *scanner, uintptr_t entry, enum spgc_company company) {
  uintptr_t object = company == SPGC_SHARED ? entry & ~(uintptr_t)TAG_UNSURE : entry;
  const struct spgc_type *type = spgc_object_type(object);
  size_t bytes = spgc_object_bytes(object, type);
  bool was_marked = spgc_mark_bits_cover(scanner->heap, object, bytes, company);
  if (company == SPGC_SHARED && was_marked && entry != object)
    return 0;
  spgc_mark_count(scanner, object, bytes, company);
  spgc_object_visit(object, type, mark_slot_in(company), scanner);
  return bytes;
}

/* There is something. */
SPGC_INLINE size_t scan_next(struct spgc_scanner *scanner, enum spgc_company company) {
  while (scanner->stack.count != 0 && scanner->ring_next - scanner->ring_first < SPGC_MARK_RING) {
    uintptr_t entry = spgc_work_stack_pop(&scanner->stack);
    if (__builtin_expect((entry & TAG_RANGE) != 0, 0))
      return scan_part(scanner, entry, company);
    __builtin_prefetch((void *)entry);
    scanner->ring[scanner->ring_next++ % SPGC_MARK_RING] = entry;
  }
  if (scanner->ring_first == scanner->ring_next)
    return 0;
  return scan_small(scanner, scanner->ring[scanner->ring_first++ % SPGC_MARK_RING], company);
}

/* Scans all marked objects of a block again. Nothing is on a stack, so that they can be counted anew. */
static void rescan_small(struct spgc_scanner *scanner, uint32_t index) {
  struct spgc_heap *heap = scanner->heap;
  spgc_mark_words marks;
  memcpy(marks, heap->marks[index], sizeof marks);
  scanner->marked_bytes -= heap->blocks[index].live; /* may wrap: only the sum of all scanners' counts */
  heap->blocks[index].live = 0;
  enum { WORDS = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES };
  size_t word = 0;
  while ((word = spgc_mark_bits_next(marks, word, SPGC_MARK_BITS_SET)) < WORDS)
    word +=
        scan_small(scanner, spgc_heap_block_start(heap, index) + word * SPGC_WORD_BYTES, SPGC_ALONE) / SPGC_WORD_BYTES;
}

/* Resumes with one of the blocks that did not fit the stack. */
static void rescan_waiting(struct spgc_scanner *scanner) {
  struct spgc_heap *heap = scanner->heap;
  for (uint32_t i = scanner->first_waiting; i < scanner->end_waiting; i++) {
    if (!heap->blocks[i].marks_wait)
      continue;
    heap->blocks[i].marks_wait = false;
    scanner->first_waiting = i + 1;
    if (spgc_heap_space(heap, i) == SPGC_SPACE_OLD_LARGE)
      push_large(scanner, i);
    else
      rescan_small(scanner, i);
    return;
  }
  scanner->overflowed = false;
}

bool spgc_marker_step(struct spgc_marker *marker, size_t bytes) {
  struct spgc_scanner *scanner = &marker->scanners[0];
  size_t scanned = 0;
  while (scanned < bytes && !is_idle(marker)) {
    if (has_own(scanner)) {
      scanned += scan_next(scanner, SPGC_ALONE);
    } else if (spgc_marker_has_cards(marker)) {
      scanned += spgc_marker_read_cards(marker);
    } else {
      rescan_waiting(scanner);
      scanned += SPGC_BLOCK_BYTES;
    }
  }
  return !is_idle(marker);
}

/* In company. */

static void scan_own(struct spgc_scanner *scanner, struct spgc_work_share *share) {
  while (has_own(scanner)) {
    scan_next(scanner, SPGC_SHARED);
    if (__builtin_expect(spgc_work_share_is_wanted(share, scanner->stack.count), 0))
      spgc_work_share_give(share, &scanner->stack);
  }
}

static void mark_as_worker(void *context, uint32_t worker) {
  struct spgc_marker *marker = context;
  struct spgc_scanner *scanner = &marker->scanners[worker];
  struct spgc_work_share *share = &marker->heap->share;
  if (worker != 0 && !spgc_work_share_join(share))
    return;
  do
    scan_own(scanner, share);
  while (spgc_work_share_take(share, &scanner->stack));
}

static bool is_worth_help(const struct spgc_marker *marker) {
  const struct spgc_scanner *scanner = &marker->scanners[0];
  return marker->help.helpers != 0 && scanner->watch == NULL && has_own(scanner) &&
         (marker->help.at_once || scanner->stack.count >= WORTH_HELP_ENTRIES);
}

static void mark_in_company(struct spgc_marker *marker) {
  spgc_work_share_open(&marker->heap->share, 1);
  spgc_crew_run(marker->help.crew, marker->help.helpers, mark_as_worker, marker);
  spgc_marker_gather(marker);
}

void spgc_marker_drain(struct spgc_marker *marker) {
  for (bool much = marker->help.at_once; !is_idle(marker); much = true)
    if (much && is_worth_help(marker))
      mark_in_company(marker);
    else
      spgc_marker_step(marker, STEP_BYTES);
}
