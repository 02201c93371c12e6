/* Scans of old objects for references to condemned ones, by one worker or several: fields in store
 * buffers and then dirty cards; for a compaction, recorded slots; for a relocation, all old
 * objects.
 *
 * Invariant: a worker copies into no block that another worker walks. While fields or large objects
 * are scanned, it copies into any holes. While small objects are, it copies into blocks that it
 * takes free, which have no dirty card and are fresh; into holes of the unit that it claimed last;
 * and into the blocks of its PLABs, which worker 0 scans before the units are shared. */
#include "gc/trace/copier.h"
#include "heap/blocks.h"
#include "heap/relocation.h"
#include "heap/remembered/buffers.h"
#include "heap/remembered/scan.h"

/* ---- By one worker or several ---- */

/* one worker scans fewer buffered fields, or groups with dirty cards */
enum { MANY = SPGC_UNITS * SPGC_PREFETCHED };

static void set_recyclable(struct spgc_evacuation *evacuation, struct spgc_range blocks) {
  for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++)
    evacuation->workers[worker].recyclable = blocks;
}

/* By worker 0. */
static void scan_blocks_of_plabs(struct spgc_evacuation *evacuation, spgc_unit_scan scan) {
  struct spgc_heap *heap = evacuation->heap;
  for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++)
    for (int i = 0; i < SPGC_PLABS; i++) {
      uint32_t index = heap->workers[worker].plabs[i].block;
      if (index != SPGC_BLOCK_NONE)
        scan(&evacuation->workers[0], (struct spgc_range){index, index + 1}, true);
    }
}

static void share(struct spgc_evacuation *evacuation, struct spgc_range all, spgc_unit_scan scan) {
  if (all.first == all.end)
    return;
  evacuation->scan_unit = scan;
  evacuation->scanned = all;
  evacuation->units_left = SPGC_UNITS;
  spgc_evacuation_drain_parallel(evacuation);
}

/* Runs first, because they have no holes. A worker that wakes when every unit of single blocks is
 * claimed copies only into free ones, because others may still walk theirs. */
static void scan_in_parallel(struct spgc_evacuation *evacuation, spgc_unit_scan scan) {
  const struct spgc_heap *heap = evacuation->heap;
  share(evacuation, (struct spgc_range){heap->boundary, heap->high_water}, scan);
  set_recyclable(evacuation, SPGC_NO_BLOCKS);
  scan_blocks_of_plabs(evacuation, scan);
  evacuation->walks_singles = true;
  share(evacuation, (struct spgc_range){heap->low_water, heap->boundary}, scan);
  evacuation->walks_singles = false;
  set_recyclable(evacuation, SPGC_ALL_BLOCKS);
}

static bool is_worth_parallelism(const struct spgc_evacuation *evacuation, bool is_much) {
  return evacuation->parallelism.extra_workers != 0 && (evacuation->parallelism.at_once || is_much);
}

static void scan_all_blocks(struct spgc_evacuation *evacuation, bool are_many,
                            spgc_unit_scan scan) {
  const struct spgc_heap *heap = evacuation->heap;
  if (is_worth_parallelism(evacuation, are_many))
    scan_in_parallel(evacuation, scan);
  else
    scan(&evacuation->workers[0], (struct spgc_range){heap->low_water, heap->high_water}, false);
}

/* Fields or chunks. */
static void scan_numbers(struct spgc_evacuation *evacuation, uint32_t count, uint32_t many,
                         spgc_unit_scan scan) {
  if (is_worth_parallelism(evacuation, count >= many))
    share(evacuation, (struct spgc_range){0, count}, scan);
  else
    scan(&evacuation->workers[0], (struct spgc_range){0, count}, false);
}

/* Of `scan`, which has modes: in parallel, or as worker 0 alone does. */
#define UNIT_SCAN(name, scan, alone)                                                               \
  static void name(struct spgc_evacuator *evacuator, struct spgc_range unit, bool in_parallel) {   \
    if (in_parallel)                                                                               \
      scan(evacuator, unit, SPGC_TRACE_PARALLEL);                                                  \
    else                                                                                           \
      scan(evacuator, unit, alone);                                                                \
  }

/* ---- Slots that refer to condemned objects ---- */

/* An unmarked object must not keep old objects alive. */
SPGC_INLINE void forward_condemned(struct copier *copier, struct spgc_slot slot,
                                   enum spgc_trace_mode mode) {
  if (is_condemned(copier, read_slot(slot)))
    forward_queued(copier, slot, mode);
}

SPGC_VISITOR_IN_MODES(forward_condemned)

/* A card's scan marks an object's old children, unless the object is not marked, or the card is
 * deferred: then they are scanned later. */
SPGC_INLINE void forward_object(struct copier *copier, struct spgc_ref object, uintptr_t from,
                                uintptr_t to, enum spgc_trace_mode mode) {
  const struct spgc_type *type = spgc_object_type(object);
  if (__builtin_expect(spgc_type_is_weak(type), 0)) {
    scan_weak(copier, object, from, to, mode);
  } else if (copier->scanner != NULL && !copier->evacuator->evacuation->leaves_cards &&
             spgc_mark_bit_is_set(copier->evacuator->heap, object)) {
    struct spgc_window window = {from, to, forward_queued_in(mode), copier};
    spgc_object_visit_within(object, type, &window);
  } else {
    struct spgc_window window = {from, to, forward_condemned_in(mode), copier};
    spgc_object_visit_within(object, type, &window);
  }
}

SPGC_INLINE void forward_object_scanning(void *copier, struct spgc_ref object, uintptr_t from,
                                         uintptr_t to) {
  forward_object(copier, object, from, to, SPGC_TRACE_SCANNING);
}

SPGC_INLINE void forward_object_parallel(void *copier, struct spgc_ref object, uintptr_t from,
                                         uintptr_t to) {
  forward_object(copier, object, from, to, SPGC_TRACE_PARALLEL);
}

/* The state after a dirty card's scan. */
static uint8_t after(const struct spgc_evacuator *evacuator) {
  return evacuator->evacuation->leaves_cards ? SPGC_CARD_DEFERRED : SPGC_CARD_CLEAN;
}

/* ---- Store buffers ---- */

/* False for a small array, because only one worker at a time may extend a crossing map. Its element
 * keeps its object alive. */
SPGC_INLINE bool is_large_weak(const struct copier *copier, struct spgc_slot field) {
  const struct spgc_heap *heap = copier->evacuator->heap;
  uint32_t index = spgc_heap_block_of(heap, (uintptr_t)field.location);
  return !spgc_space_is_old_small(spgc_heap_space(heap, index)) &&
         spgc_type_is_weak(
             spgc_object_type(spgc_heap_first_object(heap, spgc_large_first(heap, index))));
}

SPGC_INLINE void forward_stored(struct copier *copier, struct spgc_slot field,
                                enum spgc_trace_mode mode) {
  if (!is_condemned(copier, read_slot(field)))
    return;
  if (__builtin_expect(is_large_weak(copier, field), 0))
    record_weak(copier, field, mode);
  else
    forward_queued(copier, field, mode);
}

SPGC_VISITOR_IN_MODES(forward_stored)

SPGC_INLINE void scan_fields(struct spgc_evacuator *evacuator, struct spgc_range unit,
                             enum spgc_trace_mode mode) {
  struct copier copier = begin(evacuator);
  uint32_t first = 0; /* of the buffer's fields, over all buffers */
  for (const struct spgc_store_buffer *buffer = evacuator->heap->store_buffers; buffer != NULL;
       buffer = buffer->next) {
    uint32_t end = first + spgc_store_buffer_count(buffer);
    uint32_t from = first > unit.first ? first : unit.first, to = end < unit.end ? end : unit.end;
    if (from < to)
      evacuator->cards_read += spgc_fields_visit_stored(
          evacuator->heap, (const struct spgc_slot *)buffer->first + (from - first), to - from,
          after(evacuator), forward_stored_in(mode), &copier);
    first = end;
  }
  close_copier(&copier);
}

UNIT_SCAN(scan_stores, scan_fields, SPGC_TRACE_SCANNING)

/* ---- Dirty cards ---- */

SPGC_INLINE void scan_groups(struct spgc_evacuator *evacuator, struct spgc_range blocks,
                             enum spgc_trace_mode mode) {
  struct copier copier = begin(evacuator);
  evacuator->cards_read += spgc_cards_visit_dirty(
      evacuator->heap, spgc_first_group(blocks.first), spgc_first_group(blocks.end),
      after(evacuator),
      mode == SPGC_TRACE_PARALLEL ? forward_object_parallel : forward_object_scanning, &copier);
  close_copier(&copier);
}

UNIT_SCAN(scan_cards, scan_groups, SPGC_TRACE_SCANNING)

static bool has_many_cards(const struct spgc_heap *heap) {
  const size_t end = spgc_first_group(heap->high_water);
  size_t group = spgc_first_group(heap->low_water), count = 0;
  for (; count < MANY && (group = spgc_dirty_groups_next(heap, group, end)) < end; group++)
    count++;
  return count == MANY;
}

void spgc_evacuation_scan_cards(struct spgc_evacuation *evacuation) {
  const struct spgc_heap *heap = evacuation->heap;
  scan_numbers(evacuation, spgc_store_buffers_count(heap), MANY, scan_stores);
  spgc_store_buffers_empty(heap);
  scan_all_blocks(evacuation, has_many_cards(heap), scan_cards);
}

/* ---- Recorded slots ---- */

/* Copies are scanned instead of condemned objects. */
SPGC_INLINE void scan_chunks(struct spgc_evacuator *evacuator, struct spgc_range chunks,
                             enum spgc_trace_mode mode) {
  struct copier copier = begin(evacuator);
  for (uint32_t i = chunks.first; i < chunks.end; i++) {
    const struct spgc_recorded_chunk *chunk = &evacuator->heap->recorded.chunks[i];
    for (uint64_t k = 0; k < chunk->count; k++)
      if (!is_condemned(&copier, (uintptr_t)chunk->slots[k].location))
        forward_queued(&copier, chunk->slots[k], mode);
  }
  close_copier(&copier);
}

UNIT_SCAN(scan_recorded, scan_chunks, SPGC_TRACE_SERIAL)

void spgc_evacuation_scan_recorded(struct spgc_evacuation *evacuation) {
  enum { MANY_CHUNKS = 8 };
  scan_numbers(evacuation, spgc_recorded_chunks(&evacuation->heap->recorded), MANY_CHUNKS,
               scan_recorded);
}

/* ---- Relocation ----
 *
 * Moves a unit's objects and updates fields. Places are disjoint, so workers share nothing. */

SPGC_INLINE void update(void *context, struct spgc_slot slot) {
  const struct spgc_heap *heap = context;
  uintptr_t word = slot.location->word;
  if (spgc_heap_contains(heap, word) &&
      spgc_heap_space(heap, spgc_heap_block_of(heap, word)) == SPGC_SPACE_RELOCATING)
    slot.location->word = spgc_relocation_address(heap, word);
}

static void move_objects(struct spgc_evacuator *evacuator, uint32_t index) {
  struct spgc_heap *heap = evacuator->heap;
  const struct spgc_relocation *relocation = &heap->relocations[index];
  const uintptr_t start = spgc_heap_block_start(heap, index), end = start + SPGC_BLOCK_BYTES,
                  split = start + (uintptr_t)relocation->split * SPGC_WORD_BYTES;
  size_t live = 0, bytes;
  for (struct spgc_ref object = spgc_marked_from(heap, index, start); object.word < end;
       object = spgc_marked_from(heap, index, object.word + bytes)) {
    uintptr_t header = spgc_object_header(object), to = relocation->to[object.word >= split] + live;
    const struct spgc_type *type = (const struct spgc_type *)header;
    bytes = spgc_object_bytes(object, type);
    if (to % SPGC_BLOCK_BYTES == 0)
      spgc_blocks_populate(heap, spgc_heap_block_of(heap, to));
    spgc_object_copy(to, object.word, header, bytes);
    spgc_object_visit((struct spgc_ref){to}, type, update, heap);
    if (heap->vacated.entries != NULL)
      spgc_object_set_header(object, to);
    live += bytes;
    evacuator->moved_objects++;
  }
}

static void update_objects(struct spgc_heap *heap, uint32_t index) {
  const uintptr_t start = spgc_heap_block_start(heap, index), end = start + SPGC_BLOCK_BYTES;
  for (struct spgc_ref object = spgc_marked_from(heap, index, start); object.word < end;) {
    const struct spgc_type *type = spgc_object_type(object);
    spgc_object_visit(object, type, update, heap);
    object = spgc_marked_from(heap, index, object.word + spgc_object_bytes(object, type));
  }
}

static void relocate_unit(struct spgc_evacuator *evacuator, struct spgc_range blocks,
                          bool in_parallel) {
  (void)in_parallel;
  struct spgc_heap *heap = evacuator->heap;
  /* Given back by one call, which interrupts other processors. Until then each worker lets the heap
   * exceed its limit by as many. */
  const uint32_t most = 4 * SPGC_COMMIT_BLOCKS,
                 unit = (heap->boundary - heap->low_water) / SPGC_UNITS + 1,
                 batch = unit < most ? unit : most;
  uint32_t first = blocks.first; /* relocated, and not given back */
  for (uint32_t i = blocks.first; i < blocks.end; i++) {
    enum spgc_space space = spgc_heap_space(heap, i);
    if (space == SPGC_SPACE_RELOCATING)
      move_objects(evacuator, i);
    else if (spgc_space_is_old_small(space) && !heap->blocks[i].is_fresh)
      update_objects(heap, i);
    else if (!spgc_space_is_old_small(space) && spgc_block_is_old(heap, i)) {
      struct spgc_ref large = spgc_heap_first_object(heap, spgc_large_first(heap, i));
      uintptr_t from = spgc_heap_block_start(heap, i);
      struct spgc_window window = {from, from + SPGC_BLOCK_BYTES, update, heap};
      spgc_object_visit_within(large, spgc_object_type(large), &window);
    }
    bool is_relocated = space == SPGC_SPACE_RELOCATING;
    if (!is_relocated || i + 1 - first == batch) {
      spgc_blocks_discard_relocated(heap, first, i + is_relocated);
      first = i + 1;
    }
  }
  spgc_blocks_discard_relocated(heap, first, blocks.end);
}

void spgc_evacuation_relocate(struct spgc_evacuation *evacuation) {
  const struct spgc_heap *heap = evacuation->heap;
  scan_all_blocks(evacuation, heap->old_blocks + heap->large_blocks >= SPGC_UNITS, relocate_unit);
}
