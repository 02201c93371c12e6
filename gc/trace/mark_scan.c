/* Scanning grey objects. What changes with each object is in a local variable, as in
 * gc/trace/copier.h.
 *
 *   slots --> mark bits --> stack --> prefetch queue --> scanned
 *                               \------------------------^
 *
 * Objects near the last scanned one bypass the prefetch queue. */
#include "gc/trace/mark.h"
#include "support/min_max.h"

enum { WORTH_PARALLEL_ENTRIES = 8 };

/* A plain type: objects have one size and no `values`. */
struct shape {
  const struct spgc_type *type;
  size_t bytes;
  uint64_t ones; /* of an object */
  const uint32_t *offsets, *offsets_end;
};

struct scan {
  struct spgc_scanner *scanner;
  uintptr_t base; /* constant, as the next six */
  size_t words;
  const uint8_t *spaces;
  uint64_t *marks;
  struct spgc_block *blocks;
  uintptr_t *entries, *end;
  uintptr_t *top;
  uint32_t prefetch_first, prefetch_count;
  uintptr_t last;         /* the last small object scanned, or 0 */
  struct shape shape;     /* of the last plain object */
  ptrdiff_t wanted, left; /* bytes; `left` is negative if a step scanned more */
  size_t part_bytes;      /* in large objects */
};

SPGC_INLINE void open_scan(struct scan *scan) {
  const struct spgc_scanner *scanner = scan->scanner;
  scan->top = scan->entries + scanner->stack.count;
  scan->prefetch_first = scanner->prefetch_first;
  scan->prefetch_count = scanner->prefetch_count;
}

SPGC_INLINE void close_scan(const struct scan *scan) {
  struct spgc_scanner *scanner = scan->scanner;
  scanner->stack.count = (uint32_t)(scan->top - scan->entries);
  scanner->prefetch_first = scan->prefetch_first;
  scanner->prefetch_count = scan->prefetch_count;
}

SPGC_INLINE struct scan begin(struct spgc_scanner *scanner, size_t wanted) {
  const struct spgc_heap *heap = scanner->heap;
  uintptr_t *entries = scanner->stack.entries;
  struct scan scan = {.scanner = scanner,
                      .base = heap->base,
                      .words = heap->size / SPGC_WORD_BYTES,
                      .spaces = heap->spaces,
                      .marks = (uint64_t *)heap->marks,
                      .blocks = heap->blocks,
                      .entries = entries,
                      .end = entries + scanner->stack.capacity,
                      .left = (ptrdiff_t)wanted,
                      .wanted = (ptrdiff_t)wanted};
  open_scan(&scan);
  return scan;
}

SPGC_INLINE size_t end(const struct scan *scan) {
  size_t bytes = (size_t)(scan->wanted - scan->left);
  close_scan(scan);
  scan->scanner->marked_bytes += bytes - scan->part_bytes;
  return bytes;
}

static __attribute__((noinline)) void mark_rarely(struct spgc_scanner *scanner,
                                                  struct spgc_slot slot, struct spgc_ref object,
                                                  enum spgc_trace_mode mode) {
  spgc_mark_field(scanner, slot, object, mode);
}

/* As spgc_mark_field. In parallel, atomic writes cost most, so a worker only pushes the object, as
 * others may, and marks it when it scans it. Mutators may write the slot. */
SPGC_INLINE void reach(struct scan *scan, struct spgc_slot slot, enum spgc_trace_mode mode) {
  uintptr_t word = __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED);
  size_t offset = spgc_words_between(scan->base, word);
  if (offset >= scan->words)
    return;
  size_t index = offset / (SPGC_BLOCK_BYTES / SPGC_WORD_BYTES);
  enum spgc_space space = (enum spgc_space)__atomic_load_n(&scan->spaces[index], __ATOMIC_RELAXED);
  if (__builtin_expect(space == SPGC_SPACE_OLD && scan->top != scan->end, 1)) {
    uint64_t *bits = scan->marks + offset / SPGC_MARK_BITS;
    size_t bit = offset % SPGC_MARK_BITS;
    uint64_t before = __atomic_load_n(bits, __ATOMIC_RELAXED);
    if ((before >> bit & 1) != 0)
      return;
    if (mode == SPGC_TRACE_SERIAL) {
      *bits = before | UINT64_C(1) << bit;
      const struct spgc_trace_hook *hook = scan->scanner->hook;
      if (__builtin_expect(hook != NULL, 0))
        hook->reached(hook->context, (struct spgc_ref){word});
    }
    *scan->top++ = mode == SPGC_TRACE_SERIAL ? word : word | SPGC_MARK_UNSURE;
  } else if (spgc_space_is_old(space)) {
    close_scan(scan);
    mark_rarely(scan->scanner, slot, (struct spgc_ref){word}, mode);
    open_scan(scan);
  }
}

SPGC_VISITOR_IN_MODES(reach)

/* Also counts it. False if another worker has. */
SPGC_INLINE bool cover(struct scan *scan, uintptr_t entry, struct spgc_ref object, size_t bytes,
                       uint64_t ones, enum spgc_trace_mode mode) {
  enum { SPAN_BYTES = SPGC_MARK_BITS * SPGC_WORD_BYTES };
  size_t offset = object.word - scan->base, word = offset / SPGC_WORD_BYTES;
  uint64_t *bits = scan->marks + offset / SPAN_BYTES;
  bool fits = offset % SPAN_BYTES + bytes <= SPAN_BYTES;
  if (mode == SPGC_TRACE_SERIAL && __builtin_expect(fits, 1)) {
    *bits |= ones << word % SPGC_MARK_BITS;
  } else {
    bool was_marked =
        spgc_mark_bits_cover_words(bits, word % SPGC_MARK_BITS, bytes / SPGC_WORD_BYTES, mode);
    if (mode == SPGC_TRACE_PARALLEL && was_marked && entry != object.word)
      return false;
  }
  scan->left -= (ptrdiff_t)bytes;
  if (mode == SPGC_TRACE_SERIAL)
    scan->blocks[offset >> SPGC_BLOCK_SHIFT].live += (uint32_t)bytes;
  else
    spgc_mark_count_in_block(scan->scanner, object, bytes, mode);
  return true;
}

SPGC_INLINE size_t scan_other(struct scan *scan, uintptr_t entry, struct spgc_ref object,
                              enum spgc_trace_mode mode) {
  const struct spgc_type *type = spgc_object_type(object);
  size_t bytes = spgc_object_bytes(object, type);
  if (!cover(scan, entry, object, bytes, spgc_mark_bits_ones(bytes / SPGC_WORD_BYTES), mode))
    return bytes;
  if (spgc_type_is_weak(type))
    spgc_heap_flag_weak(scan->scanner->heap, object);
  else
    spgc_object_visit(object, type, reach_in(mode), scan);
  return bytes;
}

SPGC_INLINE struct shape shape_of(const struct spgc_type *type) {
  return (struct shape){.type = type,
                        .bytes = type->size,
                        .ones = spgc_mark_bits_ones(type->size / SPGC_WORD_BYTES),
                        .offsets = type->reference_offsets,
                        .offsets_end = type->reference_offsets + type->reference_count};
}

/* Returns the object's bytes. The branch predictor assumes the last type, so slots are known before
 * the type and its offsets are loaded. */
SPGC_INLINE size_t scan_small(struct scan *scan, uintptr_t entry, enum spgc_trace_mode mode) {
  struct spgc_ref object = {mode == SPGC_TRACE_PARALLEL ? entry & ~(uintptr_t)SPGC_MARK_UNSURE
                                                        : entry};
  const struct spgc_type *type = spgc_object_type(object);
  if (__builtin_expect(type != scan->shape.type, 0)) {
    if (type->flags != 0)
      return scan_other(scan, entry, object, mode);
    scan->shape = shape_of(type);
  }
  const struct shape *shape = &scan->shape;
  if (cover(scan, entry, object, shape->bytes, shape->ones, mode))
    for (const uint32_t *offset = shape->offsets; offset != shape->offsets_end; offset++)
      reach(scan, (struct spgc_slot){(void *)(object.word + *offset)}, mode);
  return shape->bytes;
}

static __attribute__((noinline)) void scan_part(struct spgc_scanner *scanner, uintptr_t range,
                                                enum spgc_trace_mode mode) {
  const struct spgc_heap *heap = scanner->heap;
  struct spgc_ref object = spgc_heap_first_object(heap, (uint32_t)(range >> 32));
  uintptr_t from = spgc_heap_block_start(heap, spgc_mark_open_range(scanner, range));
  struct scan scan = begin(scanner, 0);
  struct spgc_window window = {from, from + SPGC_BLOCK_BYTES, reach_in(mode), &scan};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
  close_scan(&scan);
}

SPGC_INLINE uintptr_t exchange_prefetched(struct scan *scan, uintptr_t next) {
  uintptr_t *first = &scan->scanner->prefetch_queue[scan->prefetch_first], entry = *first;
  *first = next;
  scan->prefetch_first = (scan->prefetch_first + 1) % SPGC_PREFETCHED;
  return entry;
}

/* Returns the oldest entry, or 0 while the queue fills up. */
SPGC_INLINE uintptr_t enqueue(struct scan *scan, uintptr_t entry) {
  spgc_object_fetch((struct spgc_ref){entry});
  if (__builtin_expect(scan->prefetch_count == SPGC_PREFETCHED, 1))
    return exchange_prefetched(scan, entry);
  scan->scanner->prefetch_queue[(scan->prefetch_first + scan->prefetch_count++) % SPGC_PREFETCHED] =
      entry;
  return 0;
}

/* Near objects need no prefetch. Depth first, branches on null references are predicted best. */
SPGC_INLINE bool is_near(const struct scan *scan, uintptr_t entry) {
  enum { NEAR_BYTES = 4096 };
  return (entry ^ scan->last) < NEAR_BYTES;
}

SPGC_INLINE bool scan_next(struct scan *scan, enum spgc_trace_mode mode) {
  uintptr_t entry = 0;
  while (entry == 0 && scan->top != scan->entries) {
    entry = *--scan->top;
    if (__builtin_expect(spgc_mark_is_range(entry), 0)) {
      close_scan(scan);
      scan_part(scan->scanner, entry, mode);
      open_scan(scan);
      scan->part_bytes += SPGC_BLOCK_BYTES;
      scan->left -= SPGC_BLOCK_BYTES;
      return true;
    }
    if (SPGC_HAS_PREFETCH_QUEUE && !is_near(scan, entry))
      entry = enqueue(scan, entry);
  }
  if (entry == 0) {
    if (scan->prefetch_count == 0)
      return false;
    scan->prefetch_count--;
    entry = exchange_prefetched(scan, 0);
  }
  scan->last = entry;
  scan_small(scan, entry, mode);
  return true;
}

static size_t scan_some(struct spgc_scanner *scanner, size_t bytes) {
  struct scan scan = begin(scanner, bytes);
  while (scan.left > 0 && scan_next(&scan, SPGC_TRACE_SERIAL))
    ;
  return end(&scan);
}

/* The stack is empty, so they can be counted again. */
static void rescan_small(struct spgc_scanner *scanner, uint32_t index) {
  struct spgc_heap *heap = scanner->heap;
  struct scan scan = begin(scanner, 0);
  spgc_mark_words marks;
  memcpy(marks, heap->marks[index], sizeof marks);
  scanner->marked_bytes -= heap->blocks[index].live; /* may wrap: only the sum counts */
  heap->blocks[index].live = 0;
  enum { WORDS = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES };
  uintptr_t start = spgc_heap_block_start(heap, index);
  size_t word = 0;
  while ((word = spgc_mark_bits_next(marks, word, SPGC_MARK_BITS_SET)) < WORDS)
    word += scan_small(&scan, start + word * SPGC_WORD_BYTES, SPGC_TRACE_SERIAL) / SPGC_WORD_BYTES;
  end(&scan);
}

static void rescan_waiting(struct spgc_scanner *scanner) {
  uint32_t index = spgc_mark_next_waiting(scanner);
  if (index == SPGC_BLOCK_NONE)
    return;
  if (spgc_heap_space(scanner->heap, index) == SPGC_SPACE_OLD_LARGE)
    spgc_mark_push_large(scanner, index);
  else
    rescan_small(scanner, index);
}

/* ---- Parallel marking ---- */

/* A worker that starts late claims less. */
static bool claim(struct spgc_marker *marker, struct spgc_scanner *scanner) {
  enum { UNIT_BYTES = 2 * SPGC_BLOCK_BYTES };
  ptrdiff_t unclaimed = __atomic_fetch_sub(&marker->unclaimed_bytes, UNIT_BYTES, __ATOMIC_RELAXED);
  if (unclaimed <= 0)
    return false;
  scanner->claimed_bytes += unclaimed < UNIT_BYTES ? unclaimed : UNIT_BYTES;
  return true;
}

/* What it has claimed. Returns whether entries are left. */
static bool scan_claimed(struct spgc_scanner *scanner, struct spgc_shared_worklist *shared) {
  struct scan scan = begin(scanner, (size_t)scanner->claimed_bytes);
  bool more = true;
  while (scan.left > 0 && (more = scan_next(&scan, SPGC_TRACE_PARALLEL)))
    if (__builtin_expect(
            spgc_shared_worklist_is_wanted(shared, (uint32_t)(scan.top - scan.entries)), 0)) {
      close_scan(&scan);
      spgc_shared_worklist_give(shared, &scanner->stack);
      open_scan(&scan);
    }
  scanner->claimed_bytes = scan.left;
  end(&scan);
  return more;
}

static void mark_as_worker(void *context, uint32_t worker) {
  struct spgc_marker *marker = context;
  struct spgc_scanner *scanner = &marker->scanners[worker];
  struct spgc_shared_worklist *shared = &marker->parallelism.pool->shared;
  if (worker != 0 && !spgc_shared_worklist_join(shared))
    return;
  while (scanner->claimed_bytes > 0 || claim(marker, scanner))
    if (!scan_claimed(scanner, shared) && !spgc_shared_worklist_take(shared, &scanner->stack))
      return;
  spgc_shared_worklist_leave(shared);
  spgc_scanner_settle(scanner);
}

static bool is_worth_parallelism(const struct spgc_marker *marker, size_t bytes) {
  const struct spgc_scanner *scanner = &marker->scanners[0];
  return marker->parallelism.extra_workers != 0 && scanner->hook == NULL &&
         spgc_scanner_has_own(scanner) &&
         (marker->parallelism.at_once ||
          (scanner->stack.count >= WORTH_PARALLEL_ENTRIES && bytes >= SPGC_ALONE_BYTES));
}

/* Returns the bytes scanned. */
static size_t scan_in_parallel(struct spgc_marker *marker, size_t bytes,
                               struct spgc_backoff *backoff) {
  struct spgc_worker_pool *pool = marker->parallelism.pool;
  uint32_t extra_workers = marker->parallelism.extra_workers;
  if (!marker->parallelism.at_once)
    extra_workers = (uint32_t)spgc_min(extra_workers, bytes / SPGC_ALONE_BYTES);
  marker->unclaimed_bytes = (ptrdiff_t)bytes;
  claim(marker, &marker->scanners[0]); /* the only one with entries */
  spgc_shared_worklist_open(&pool->shared, 1);
  spgc_worker_pool_run_judged(pool, backoff, extra_workers, mark_as_worker, marker);
  while (pool->shared.count != 0)
    spgc_scanner_keep(&marker->scanners[0], pool->shared.entries[--pool->shared.count]);
  spgc_marker_gather(marker);
  ptrdiff_t left = marker->unclaimed_bytes > 0 ? marker->unclaimed_bytes : 0;
  for (uint32_t i = 0; i <= extra_workers; i++) {
    left += marker->scanners[i].claimed_bytes;
    marker->scanners[i].claimed_bytes = 0;
  }
  return bytes - (size_t)left;
}

static bool declines_step(const struct spgc_marker *marker) {
  return !marker->parallelism.at_once &&
         spgc_backoff_skips(&marker->parallelism.pool->step_backoff);
}

bool spgc_marker_step(struct spgc_marker *marker, size_t bytes, bool with_workers) {
  struct spgc_scanner *scanner = &marker->scanners[0];
  size_t scanned = 0, read = 0;
  while (scanned < bytes && read < bytes && !spgc_marker_is_idle(marker)) {
    if (spgc_scanner_has_own(scanner)) {
      size_t wanted = bytes - scanned;
      scanned += with_workers && is_worth_parallelism(marker, wanted) && !declines_step(marker)
                     ? scan_in_parallel(marker, wanted, &marker->parallelism.pool->step_backoff)
                     : scan_some(scanner, spgc_min(wanted, SPGC_ALONE_BYTES));
    } else if (spgc_marker_has_cards(marker)) {
      read += spgc_marker_read_cards(marker);
    } else {
      rescan_waiting(scanner);
      scanned += SPGC_BLOCK_BYTES;
    }
  }
  return !spgc_marker_is_idle(marker);
}

void spgc_marker_drain(struct spgc_marker *marker) {
  for (bool much = marker->parallelism.at_once; !spgc_marker_is_idle(marker); much = true)
    if (much && is_worth_parallelism(marker, PTRDIFF_MAX))
      scan_in_parallel(marker, PTRDIFF_MAX, &marker->parallelism.pool->backoff);
    else
      spgc_marker_step(marker, SPGC_ALONE_BYTES, false);
}

/* ---- Liveness ---- */

static struct spgc_ref address_if_marked(const void *marker, struct spgc_ref object) {
  const struct spgc_heap *heap = ((const struct spgc_marker *)marker)->heap;
  bool lives = !spgc_heap_contains(heap, object.word) || spgc_mark_bit_is_set(heap, object);
  return lives ? object : spgc_ref_null();
}

static void mark_slot(void *marker, struct spgc_slot slot) {
  struct spgc_scanner *scanner = ((struct spgc_marker *)marker)->scanners;
  if (spgc_heap_contains(scanner->heap, slot.location->word))
    spgc_mark(scanner, *slot.location, SPGC_TRACE_SERIAL);
}

static void drain(void *marker) {
  spgc_marker_drain(marker);
}

static void set_hook(void *marker, const struct spgc_trace_hook *hook) {
  ((struct spgc_marker *)marker)->scanners[0].hook = hook;
}

struct spgc_liveness spgc_marker_liveness(struct spgc_marker *marker) {
  return (struct spgc_liveness){.heap = marker->heap,
                                .all = true,
                                .needs_roots = true,
                                .tracer = marker,
                                .address = address_if_marked,
                                .keep_alive = mark_slot,
                                .drain = drain,
                                .set_hook = set_hook};
}
