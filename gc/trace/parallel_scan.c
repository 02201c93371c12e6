/* Evacuation: scans of old objects for references to condemned ones, by one worker or several.
 *
 * Dirty cards are scanned when the nursery is condemned, and all old objects when sparse blocks
 * are. Several workers claim one unit of blocks after another, and each copies what it finds there
 * at once, because slots and survivors are in its caches then.
 *
 * Invariant: a worker copies into no block that another worker walks. While large objects are
 * scanned, it copies into any holes. While small ones are, it copies into blocks that it takes
 * free, which have no dirty card and are fresh; into holes of the unit that it has claimed last;
 * and into the blocks of its PLABs, which worker 0 scans before the units are shared. A worker that
 * has claimed none yet uses no other holes.
 */
#include "gc/trace/evacuate.h"
#include "heap/card_scan.h"

static struct spgc_block_range all_blocks(const struct spgc_heap *heap) {
  return (struct spgc_block_range){heap->low_water, heap->high_water};
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
      scan(&evacuation->workers[0], (struct spgc_block_range){index, index + 1});
      heap->blocks[index].is_fresh = true;
    }
}

static void share(struct spgc_evacuation *evacuation, struct spgc_block_range blocks,
                  spgc_unit_scan scan) {
  if (blocks.first == blocks.end)
    return;
  evacuation->scan_unit = scan;
  evacuation->scanned = blocks;
  evacuation->units_left = SPGC_UNITS;
  spgc_evacuation_drain_parallel(evacuation);
}

/* Runs of blocks first: they have no holes. Then single blocks; a worker that wakes when every unit
 * of them is claimed copies into free blocks alone, because others may walk theirs still. */
static void scan_in_parallel(struct spgc_evacuation *evacuation, spgc_unit_scan scan) {
  const struct spgc_heap *heap = evacuation->heap;
  share(evacuation, (struct spgc_block_range){heap->boundary, heap->high_water}, scan);
  set_recyclable(evacuation, SPGC_NO_BLOCKS);
  scan_blocks_of_plabs(evacuation, scan);
  share(evacuation, (struct spgc_block_range){heap->low_water, heap->boundary}, scan);
  set_recyclable(evacuation, SPGC_ALL_BLOCKS);
}

static bool is_worth_parallelism(const struct spgc_evacuation *evacuation, bool is_much) {
  return evacuation->parallelism.extra_workers != 0 && (evacuation->parallelism.at_once || is_much);
}

/* Whether old blocks have many groups with a dirty card. */
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
  if (is_worth_parallelism(evacuation, has_many_cards(heap)))
    scan_in_parallel(evacuation, spgc_evacuator_share_cards);
  else
    spgc_evacuator_scan_cards(&evacuation->workers[0], all_blocks(heap));
}

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
