/* Marking: the loops that scan what waits. What changes with each object lies in a variable of the loop, as in
 * heap/copier.h; the scanner has it again when something rarer is to be done, and at the end of the loop.
 *
 *   slots --> mark bits --> stack --> ring --> scanned
 *                                     the objects in the ring are being fetched
 */
#include "heap/crew.h"
#include "heap/mark_cards.h"
#include "heap/mark_entry.h"

enum {
  STEP_BYTES = 256 << 10, /* marked alone between two looks at whether help is worth it */
  WORTH_HELP_ENTRIES = 8,
};

struct scan {
  struct spgc_scanner *scanner;
  uintptr_t base; /* these: constant */
  size_t size;
  const uint8_t *spaces;
  uint64_t *marks;
  uintptr_t *entries, *end;
  uintptr_t *top;
  uint32_t ring_first, ring_next;
};

SPGC_INLINE void load(struct scan *scan) {
  const struct spgc_scanner *scanner = scan->scanner;
  scan->top = scan->entries + scanner->stack.count;
  scan->ring_first = scanner->ring_first;
  scan->ring_next = scanner->ring_next;
}

SPGC_INLINE void store(const struct scan *scan) {
  struct spgc_scanner *scanner = scan->scanner;
  scanner->stack.count = (uint32_t)(scan->top - scan->entries);
  scanner->ring_first = scan->ring_first;
  scanner->ring_next = scan->ring_next;
}

SPGC_INLINE struct scan begin(struct spgc_scanner *scanner) {
  const struct spgc_heap *heap = scanner->heap;
  uintptr_t *entries = scanner->stack.entries;
  struct scan scan = {.scanner = scanner,
                      .base = heap->base,
                      .size = heap->size,
                      .spaces = heap->spaces,
                      .marks = (uint64_t *)heap->marks,
                      .entries = entries,
                      .end = entries + SPGC_WORK_STACK_ENTRIES};
  load(&scan);
  return scan;
}

static __attribute__((noinline)) void mark_rarely(struct spgc_scanner *scanner, uintptr_t object,
                                                  enum spgc_company company) {
  spgc_mark(scanner, object, company);
}

/* spgc_mark. What costs most in company are atomic writes: there an object is marked when it is scanned, whole and at
 * once. Until then others may push it, too. Mutators may write the slot. */
SPGC_INLINE void reach(struct scan *scan, struct spgc_slot slot, enum spgc_company company) {
  uintptr_t word = __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED), offset = word - scan->base;
  if (offset >= scan->size)
    return;
  size_t index = offset >> SPGC_BLOCK_SHIFT;
  enum spgc_space space = (enum spgc_space)__atomic_load_n(&scan->spaces[index], __ATOMIC_RELAXED);
  if (__builtin_expect(space == SPGC_SPACE_OLD && scan->top != scan->end, 1)) {
    uint64_t *bits = scan->marks + offset / SPGC_WORD_BYTES / SPGC_MARK_BITS;
    uint64_t bit = UINT64_C(1) << offset / SPGC_WORD_BYTES % SPGC_MARK_BITS;
    uint64_t before = __atomic_load_n(bits, __ATOMIC_RELAXED);
    if ((before & bit) != 0)
      return;
    if (company == SPGC_ALONE) {
      *bits = before | bit;
      spgc_mark_tell(scan->scanner, word);
    }
    *scan->top++ = company == SPGC_ALONE ? word : word | SPGC_MARK_UNSURE;
  } else if (space == SPGC_SPACE_OLD || space == SPGC_SPACE_OLD_LARGE) {
    store(scan);
    mark_rarely(scan->scanner, word, company);
    load(scan);
  }
}

SPGC_INLINE void reach_alone(void *scan, struct spgc_slot slot) {
  reach(scan, slot, SPGC_ALONE);
}

SPGC_INLINE void reach_shared(void *scan, struct spgc_slot slot) {
  reach(scan, slot, SPGC_SHARED);
}

SPGC_INLINE spgc_slot_visitor reach_in(enum spgc_company company) {
  return company == SPGC_ALONE ? reach_alone : reach_shared;
}

SPGC_INLINE size_t scan_small(struct scan *scan, uintptr_t entry, enum spgc_company company) {
  struct spgc_scanner *scanner = scan->scanner;
  uintptr_t object = company == SPGC_SHARED ? entry & ~(uintptr_t)SPGC_MARK_UNSURE : entry;
  const struct spgc_type *type = spgc_object_type(object);
  size_t bytes = spgc_object_bytes(object, type);
  size_t word = (object - scan->base) / SPGC_WORD_BYTES;
  bool was_marked = spgc_mark_bits_cover_words(scan->marks + word / SPGC_MARK_BITS, word % SPGC_MARK_BITS,
                                               bytes / SPGC_WORD_BYTES, company);
  if (company == SPGC_SHARED && was_marked && entry != object)
    return 0;
  spgc_mark_count(scanner, object, bytes, company);
  spgc_object_visit(object, type, reach_in(company), scan);
  return bytes;
}

static __attribute__((noinline)) size_t scan_part(struct spgc_scanner *scanner, uintptr_t range,
                                                  enum spgc_company company) {
  struct spgc_mark_part part = spgc_mark_open_range(scanner, range);
  if (part.object == 0)
    return 0;
  struct scan scan = begin(scanner);
  struct spgc_window window = {part.from, part.from + SPGC_BLOCK_BYTES, reach_in(company), &scan};
  spgc_object_visit_within(part.object, spgc_object_type(part.object), &window);
  store(&scan);
  return SPGC_BLOCK_BYTES;
}

SPGC_INLINE size_t scan_range(struct scan *scan, uintptr_t range, enum spgc_company company) {
  store(scan);
  size_t bytes = scan_part(scan->scanner, range, company);
  load(scan);
  return bytes;
}

SPGC_INLINE bool has_own(const struct scan *scan) {
  return scan->top != scan->entries || scan->ring_first != scan->ring_next;
}

/* There is something. */
SPGC_INLINE size_t scan_next(struct scan *scan, enum spgc_company company) {
  uintptr_t *ring = scan->scanner->ring;
  while (scan->top != scan->entries && scan->ring_next - scan->ring_first < SPGC_MARK_RING) {
    uintptr_t entry = *--scan->top;
    if (__builtin_expect(spgc_mark_is_range(entry), 0))
      return scan_range(scan, entry, company);
    spgc_object_fetch(entry);
    ring[scan->ring_next++ % SPGC_MARK_RING] = entry;
  }
  if (scan->ring_first == scan->ring_next)
    return 0;
  return scan_small(scan, ring[scan->ring_first++ % SPGC_MARK_RING], company);
}

/* What is on the stack, or about `bytes` of it. */
static size_t scan_some(struct spgc_scanner *scanner, size_t bytes) {
  struct scan scan = begin(scanner);
  size_t scanned = 0;
  while (scanned < bytes && has_own(&scan))
    scanned += scan_next(&scan, SPGC_ALONE);
  store(&scan);
  return scanned;
}

/* Scans all marked objects of a block again. Nothing is on a stack, so that they can be counted anew. */
static void rescan_small(struct spgc_scanner *scanner, uint32_t index) {
  struct spgc_heap *heap = scanner->heap;
  struct scan scan = begin(scanner);
  spgc_mark_words marks;
  memcpy(marks, heap->marks[index], sizeof marks);
  scanner->marked_bytes -= heap->blocks[index].live; /* may wrap: only the sum of all scanners' counts */
  heap->blocks[index].live = 0;
  enum { WORDS = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES };
  uintptr_t start = spgc_heap_block_start(heap, index);
  size_t word = 0;
  while ((word = spgc_mark_bits_next(marks, word, SPGC_MARK_BITS_SET)) < WORDS)
    word += scan_small(&scan, start + word * SPGC_WORD_BYTES, SPGC_ALONE) / SPGC_WORD_BYTES;
  store(&scan);
}

/* Resumes with one of the blocks that did not fit the stack. */
static void rescan_waiting(struct spgc_scanner *scanner) {
  uint32_t index = spgc_mark_next_waiting(scanner);
  if (index == SPGC_BLOCK_NONE)
    return;
  if (spgc_heap_space(scanner->heap, index) == SPGC_SPACE_OLD_LARGE)
    spgc_mark_push_large(scanner, index);
  else
    rescan_small(scanner, index);
}

bool spgc_marker_step(struct spgc_marker *marker, size_t bytes) {
  struct spgc_scanner *scanner = &marker->scanners[0];
  size_t scanned = 0;
  while (scanned < bytes && !spgc_marker_is_idle(marker)) {
    if (spgc_scanner_has_own(scanner)) {
      scanned += scan_some(scanner, bytes - scanned);
    } else if (spgc_marker_has_cards(marker)) {
      scanned += spgc_marker_read_cards(marker);
    } else {
      rescan_waiting(scanner);
      scanned += SPGC_BLOCK_BYTES;
    }
  }
  return !spgc_marker_is_idle(marker);
}

/* In company. */

static void scan_own(struct spgc_scanner *scanner, struct spgc_work_share *share) {
  struct scan scan = begin(scanner);
  while (has_own(&scan)) {
    scan_next(&scan, SPGC_SHARED);
    if (__builtin_expect(spgc_work_share_is_wanted(share, (uint32_t)(scan.top - scan.entries)), 0)) {
      store(&scan);
      spgc_work_share_give(share, &scanner->stack);
      load(&scan);
    }
  }
  store(&scan);
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
  return marker->help.helpers != 0 && scanner->watch == NULL && spgc_scanner_has_own(scanner) &&
         (marker->help.at_once || scanner->stack.count >= WORTH_HELP_ENTRIES);
}

static void mark_in_company(struct spgc_marker *marker) {
  spgc_work_share_open(&marker->heap->share, 1);
  spgc_crew_run(marker->help.crew, marker->help.helpers, mark_as_worker, marker);
  spgc_marker_gather(marker);
}

void spgc_marker_drain(struct spgc_marker *marker) {
  for (bool much = marker->help.at_once; !spgc_marker_is_idle(marker); much = true)
    if (much && is_worth_help(marker))
      mark_in_company(marker);
    else
      spgc_marker_step(marker, STEP_BYTES);
}
