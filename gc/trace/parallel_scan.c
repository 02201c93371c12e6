/* Scans of old objects for references to condemned ones, by one worker or several.
 *
 * If the nursery is condemned, fields in store buffers and then dirty cards are scanned; if
 * candidates of a compaction are, recorded slots; if sparse blocks are, all old objects. Several
 * workers claim one unit after another, and each copies at once what it finds, because slots and
 * survivors are in its caches then.
 *
 * Invariant: a worker copies into no block that another worker walks. While fields or large objects
 * are scanned, it copies into any holes. While small objects are, it copies into blocks that it
 * takes free, which have no dirty card and are fresh; into holes of the unit that it claimed last;
 * and into the blocks of its PLABs, which worker 0 scans before the units are shared. A worker that
 * has claimed none yet uses no other holes. */
#include "gc/trace/evacuate.h"
#include "heap/remembered/buffers.h"
#include "heap/remembered/recorded.h"
#include "heap/remembered/scan.h"

static struct spgc_unit all_blocks(const struct spgc_heap *heap) {
  return (struct spgc_unit){heap->low_water, heap->high_water};
}

static void set_recyclable(struct spgc_evacuation *evacuation, struct spgc_block_range blocks) {
  for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++)
    evacuation->workers[worker].recyclable = blocks;
}

/* Worker 0 scans the blocks of all PLABs. */
static void scan_blocks_of_plabs(struct spgc_evacuation *evacuation, spgc_unit_scan scan) {
  struct spgc_heap *heap = evacuation->heap;
  for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++)
    for (int i = 0; i < SPGC_PLABS; i++) {
      uint32_t index = heap->workers[worker].plabs[i].block;
      if (index == SPGC_BLOCK_NONE)
        continue;
      scan(&evacuation->workers[0], (struct spgc_unit){index, index + 1});
      heap->blocks[index].is_fresh = true;
    }
}

static void share(struct spgc_evacuation *evacuation, struct spgc_unit all, spgc_unit_scan scan) {
  if (all.first == all.end)
    return;
  evacuation->scan_unit = scan;
  evacuation->scanned = all;
  evacuation->units_left = SPGC_UNITS;
  spgc_evacuation_drain_parallel(evacuation);
}

/* Runs of blocks come first: they have no holes. Then single blocks; a worker that wakes when every
 * unit of them is claimed copies only into free blocks, because others may still walk theirs. */
static void scan_in_parallel(struct spgc_evacuation *evacuation, spgc_unit_scan scan) {
  const struct spgc_heap *heap = evacuation->heap;
  share(evacuation, (struct spgc_unit){heap->boundary, heap->high_water}, scan);
  set_recyclable(evacuation, SPGC_NO_BLOCKS);
  scan_blocks_of_plabs(evacuation, scan);
  evacuation->walks_singles = true;
  share(evacuation, (struct spgc_unit){heap->low_water, heap->boundary}, scan);
  evacuation->walks_singles = false;
  set_recyclable(evacuation, SPGC_ALL_BLOCKS);
}

static bool is_worth_parallelism(const struct spgc_evacuation *evacuation, bool is_much) {
  return evacuation->parallelism.extra_workers != 0 && (evacuation->parallelism.at_once || is_much);
}

/* ---- Store buffers ---- */

/* The fields are numbered through all buffers. */
static void share_stores(struct spgc_evacuator *evacuator, struct spgc_unit fields) {
  uint32_t first = 0; /* number of the buffer's first field */
  for (const struct spgc_store_buffer *buffer = evacuator->heap->store_buffers; buffer != NULL;
       buffer = buffer->next) {
    uint32_t end = first + spgc_store_buffer_count(buffer);
    uint32_t from = first > fields.first ? first : fields.first,
             to = end < fields.end ? end : fields.end;
    if (from < to)
      spgc_evacuator_share_stores(evacuator, spgc_store_buffer_fields(buffer) + (from - first),
                                  to - from);
    first = end;
  }
}

static void scan_stores(struct spgc_evacuation *evacuation) {
  enum { MANY_STORES = 1024 };
  const struct spgc_heap *heap = evacuation->heap;
  uint32_t count = spgc_store_buffers_count(heap);
  if (is_worth_parallelism(evacuation, count >= MANY_STORES))
    share(evacuation, (struct spgc_unit){0, count}, share_stores);
  else
    for (const struct spgc_store_buffer *buffer = heap->store_buffers; buffer != NULL;
         buffer = buffer->next)
      spgc_evacuator_scan_stores(&evacuation->workers[0], spgc_store_buffer_fields(buffer),
                                 spgc_store_buffer_count(buffer));
  spgc_store_buffers_empty(heap);
}

/* ---- Cards ---- */

static bool has_many_cards(const struct spgc_heap *heap) {
  enum { MANY_GROUPS = 1024 };
  const size_t end = spgc_first_group(heap->high_water);
  size_t group = spgc_first_group(heap->low_water), count = 0;
  for (; count < MANY_GROUPS && (group = spgc_dirty_groups_next(heap, group, end)) < end; group++)
    count++;
  return count == MANY_GROUPS;
}

void spgc_evacuation_scan_cards(struct spgc_evacuation *evacuation) {
  const struct spgc_heap *heap = evacuation->heap;
  scan_stores(evacuation);
  if (is_worth_parallelism(evacuation, has_many_cards(heap)))
    scan_in_parallel(evacuation, spgc_evacuator_share_cards);
  else
    spgc_evacuator_scan_cards(&evacuation->workers[0], all_blocks(heap));
}

/* ---- Recorded slots ---- */

static void share_recorded(struct spgc_evacuator *evacuator, struct spgc_unit chunks) {
  for (uint32_t i = chunks.first; i < chunks.end; i++)
    spgc_evacuator_share_recorded(evacuator, spgc_recorded_chunk_at(&evacuator->heap->recorded, i));
}

void spgc_evacuation_scan_recorded(struct spgc_evacuation *evacuation) {
  enum { MANY_CHUNKS = 8 };
  const struct spgc_recorded *recorded = &evacuation->heap->recorded;
  uint32_t chunks = spgc_recorded_chunks(recorded);
  if (is_worth_parallelism(evacuation, chunks >= MANY_CHUNKS))
    share(evacuation, (struct spgc_unit){0, chunks}, share_recorded);
  else
    for (uint32_t i = 0; i < chunks; i++)
      spgc_evacuator_scan_recorded(&evacuation->workers[0], spgc_recorded_chunk_at(recorded, i));
}

/* ---- All objects ---- */

static void forget_fresh(const struct spgc_heap *heap) {
  for (uint32_t i = heap->low_water; i < heap->high_water; i++)
    heap->blocks[i].is_fresh = false;
}

void spgc_evacuation_update(struct spgc_evacuation *evacuation) {
  enum { LEAST_BLOCKS = 64 };
  const struct spgc_heap *heap = evacuation->heap;
  forget_fresh(heap);
  if (is_worth_parallelism(evacuation, heap->old_blocks + heap->large_blocks >= LEAST_BLOCKS))
    scan_in_parallel(evacuation, spgc_evacuator_share_objects);
  else
    spgc_evacuator_scan_objects(&evacuation->workers[0], all_blocks(heap));
}
