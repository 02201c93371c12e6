/* Evacuation of old blocks: any slot of the other old objects may refer to a condemned object. */
#include "gc/trace/parallel_scan.h"

SPGC_INLINE void update_object(struct spgc_copier *copier, struct spgc_ref object) {
  spgc_object_visit(object, spgc_object_type(object), spgc_forward_queued_scanning, copier);
}

static void update_serial(struct spgc_evacuator *evacuator) {
  const struct spgc_heap *heap = evacuator->heap;
  struct spgc_copier copier = spgc_copier_begin(evacuator);
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    struct spgc_ref object = spgc_heap_first_object(heap, i);
    uintptr_t end = object.word + SPGC_BLOCK_BYTES;
    for (; object.word < end; object = spgc_object_next(object))
      update_object(&copier, object);
  }
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    update_object(&copier, spgc_heap_first_object(heap, i));
  spgc_copier_store(&copier);
}

/* A unit of work: blocks of small objects, or parts of a large object, each as long as a block. */
struct unit {
  uint32_t blocks[SPGC_SCAN_UNIT_BLOCKS];
  uint32_t count;
  uint32_t large; /* its block, or SPGC_BLOCK_NONE */
  uint32_t part, parts_end;
};

/* Blocks that receive survivors between two rounds come later on the list. Their objects need no
 * update. */
static struct spgc_scan_progress progress_over_objects(const struct spgc_heap *heap) {
  return (struct spgc_scan_progress){.next = heap->old.first,
                                     .last = heap->old.last,
                                     .next_large = heap->old_large.first,
                                     .last_large = heap->old_large.last};
}

/* The next block of a list that may have grown behind `last`. */
static uint32_t successor(const struct spgc_heap *heap, uint32_t index, uint32_t last) {
  return index == last ? SPGC_BLOCK_NONE : heap->blocks[index].next;
}

static void claim_blocks(const struct spgc_heap *heap, struct spgc_scan_progress *progress,
                         struct unit *unit) {
  while (unit->count < SPGC_SCAN_UNIT_BLOCKS && progress->next != SPGC_BLOCK_NONE) {
    unit->blocks[unit->count++] = progress->next;
    progress->next = successor(heap, progress->next, progress->last);
  }
}

static void claim_parts(const struct spgc_heap *heap, struct spgc_scan_progress *progress,
                        struct unit *unit) {
  uint32_t run = heap->blocks[progress->next_large].run;
  unit->large = progress->next_large;
  unit->part = progress->part;
  unit->parts_end = unit->part + spgc_at_most(SPGC_SCAN_UNIT_BLOCKS, run - progress->part);
  progress->part = unit->parts_end;
  if (progress->part == run) {
    progress->part = 0;
    progress->next_large = successor(heap, progress->next_large, progress->last_large);
  }
}

/* False when every unit is claimed. */
static bool claim_unit(struct spgc_evacuation *evacuation, struct unit *unit) {
  struct spgc_heap *heap = evacuation->heap;
  struct spgc_scan_progress *progress = &evacuation->progress;
  unit->count = 0;
  unit->large = SPGC_BLOCK_NONE;
  pthread_mutex_lock(&heap->lock);
  claim_blocks(heap, progress, unit);
  if (unit->count == 0 && progress->next_large != SPGC_BLOCK_NONE)
    claim_parts(heap, progress, unit);
  pthread_mutex_unlock(&heap->lock);
  return unit->count != 0 || unit->large != SPGC_BLOCK_NONE;
}

static void read_objects(struct spgc_evacuator *evacuator, const struct unit *unit) {
  for (uint32_t i = 0; i < unit->count; i++) {
    struct spgc_ref object = spgc_heap_first_object(evacuator->heap, unit->blocks[i]);
    uintptr_t end = object.word + SPGC_BLOCK_BYTES;
    for (; object.word < end; object = spgc_object_next(object))
      spgc_object_visit(object, spgc_object_type(object), spgc_push_condemned, evacuator);
  }
  if (unit->large != SPGC_BLOCK_NONE) {
    struct spgc_ref object = spgc_heap_first_object(evacuator->heap, unit->large);
    struct spgc_window window = {object.word + ((uintptr_t)unit->part << SPGC_BLOCK_SHIFT),
                                 object.word + ((uintptr_t)unit->parts_end << SPGC_BLOCK_SHIFT),
                                 spgc_push_condemned, evacuator};
    spgc_object_visit_within(object, spgc_object_type(object), &window);
  }
}

static void update_as_worker(void *context, uint32_t worker) {
  struct spgc_evacuation *evacuation = context;
  struct spgc_evacuator *evacuator = &evacuation->workers[worker];
  struct unit unit;
  while (spgc_parallel_scan_may_read(evacuator) && claim_unit(evacuation, &unit))
    read_objects(evacuator, &unit);
}

void spgc_evacuation_update(struct spgc_evacuation *evacuation) {
  enum { LEAST_BLOCKS = 64 };
  if (spgc_parallel_scan_is_worth_it(evacuation, LEAST_BLOCKS))
    spgc_parallel_scan(evacuation, progress_over_objects(evacuation->heap), update_as_worker);
  else
    update_serial(&evacuation->workers[0]);
}
