/* The beginning and the end of an evacuation: what it condemns, and what it frees. */
#include "gc/trace/evacuate.h"

#include "heap/blocks.h"

size_t spgc_evacuation_blocks(size_t bytes) {
  return spgc_blocks_for_copies(bytes, SPGC_PLABS);
}

static void begin_worker(struct spgc_evacuation *evacuation, uint32_t worker) {
  struct spgc_heap *heap = evacuation->heap;
  evacuation->workers[worker] =
      (struct spgc_evacuator){.heap = heap, .worker = &heap->workers[worker]};
}

static void begin(struct spgc_evacuation *evacuation, struct spgc_heap *heap) {
  evacuation->heap = heap;
  evacuation->marker = NULL;
  evacuation->parallelism = (struct spgc_parallelism){0};
  evacuation->moved_objects = evacuation->moved_bytes = 0;
  evacuation->relabelled_bytes = evacuation->old_bytes = 0;
  evacuation->copying_ns = 0;
  evacuation->cards_read = (struct spgc_cards_read){0};
  begin_worker(evacuation, 0);
}

/* Moves all blocks of a list to the end of another one, and into its space. */
static void transfer(struct spgc_heap *heap, struct spgc_block_list *from,
                     struct spgc_block_list *to, enum spgc_space space) {
  for (uint32_t i = from->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    spgc_heap_set_space(heap, i, space);
  spgc_block_list_splice(to, from, heap->blocks);
}

static void condemn_nursery(struct spgc_heap *heap) {
  transfer(heap, &heap->nursery, &heap->condemned, SPGC_SPACE_CONDEMNED);
  transfer(heap, &heap->nursery_large, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
  heap->nursery_large_blocks = 0;
}

void spgc_evacuation_begin_minor(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                                 struct spgc_marker *marker) {
  begin(evacuation, heap);
  if (marker != NULL) {
    evacuation->marker = marker;
    evacuation->workers[0].scanner = &marker->scanners[0];
  }
  condemn_nursery(heap);
}

static void condemn_block(struct spgc_heap *heap, uint32_t index) {
  spgc_heap_set_space(heap, index, SPGC_SPACE_CONDEMNED);
  spgc_block_list_append(&heap->condemned, heap->blocks, index);
  heap->old_blocks--;
}

static void condemn_old(struct spgc_heap *heap) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    heap->blocks[i].was_old = true;
    condemn_block(heap, i);
  }
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    heap->blocks[i].was_old = true;
  transfer(heap, &heap->old_large, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
  heap->old_large_bytes = 0;
}

void spgc_evacuation_begin_all(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                               struct spgc_random *shuffle) {
  begin(evacuation, heap);
  evacuation->workers[0].shuffle = shuffle;
  condemn_nursery(heap);
  condemn_old(heap);
  spgc_heap_forget_plabs(heap);
}

/* Old blocks with at most `most_live` live bytes, the first in the order of addresses. */
struct found {
  size_t most_live, bytes;
  uint32_t count;
};

/* Finds as many blocks as can be copied to `free_blocks`. */
static struct found find_sparse(const struct spgc_heap *heap, size_t most_live,
                                size_t free_blocks) {
  struct found sparse = {most_live, 0, 0};
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    size_t bytes = sparse.bytes + heap->blocks[i].live;
    if (heap->blocks[i].live > most_live)
      continue;
    if (spgc_evacuation_blocks(bytes) > free_blocks)
      break;
    sparse.bytes = bytes;
    sparse.count++;
  }
  return sparse;
}

static void condemn_sparse(struct spgc_heap *heap, struct found sparse) {
  for (uint32_t i = spgc_old_first(heap); sparse.count != 0; i = spgc_old_after(heap, i)) {
    if (heap->blocks[i].live > sparse.most_live)
      continue;
    condemn_block(heap, i);
    sparse.count--;
  }
}

size_t spgc_evacuation_begin_sparse(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                                    struct spgc_sparse sparse, size_t free_blocks) {
  struct found found = find_sparse(heap, sparse.most_live_bytes, free_blocks);
  if (!spgc_blocks_prepare(heap, spgc_evacuation_blocks(found.bytes)))
    found =
        find_sparse(heap, sparse.most_live_bytes, spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES));
  if (found.count < sparse.least_blocks)
    return 0;
  begin(evacuation, heap);
  condemn_sparse(heap, found);
  spgc_heap_forget_plabs(heap);
  heap->recyclable = spgc_old_first(heap);
  return found.bytes;
}

static uint32_t find_plab_blocks(struct spgc_heap *heap, uint32_t extra_workers, size_t needed,
                                 size_t free_blocks) {
  size_t spare = needed < free_blocks ? (free_blocks - needed) / SPGC_PLABS : 0;
  if (extra_workers > spare)
    extra_workers = (uint32_t)spare;
  while (extra_workers != 0 &&
         !spgc_blocks_prepare(heap, needed + (size_t)SPGC_PLABS * extra_workers))
    extra_workers--;
  return extra_workers;
}

static void engage_worker(struct spgc_evacuation *evacuation, uint32_t worker) {
  struct spgc_evacuator *first = &evacuation->workers[0], *other = &evacuation->workers[worker];
  begin_worker(evacuation, worker);
  if (evacuation->marker != NULL)
    other->scanner = &evacuation->marker->scanners[worker];
  if (first->shuffle != NULL) {
    other->own_shuffle.state = spgc_random_next(first->shuffle);
    other->shuffle = &other->own_shuffle;
  }
}

/* A parallel scan pushes all slots of a unit without a check (gc/trace/scan_old.c). */
static bool has_full_worklist(struct spgc_worker *worker) {
  return spgc_worklist_provide(&worker->stack) && spgc_worklist_has_full_capacity(&worker->stack);
}

void spgc_evacuation_engage(struct spgc_evacuation *evacuation,
                            const struct spgc_parallelism *parallelism, size_t bytes,
                            size_t free_blocks) {
  struct spgc_heap *heap = evacuation->heap;
  const struct spgc_marker *marker = evacuation->marker;
  uint32_t wanted = marker == NULL || parallelism->extra_workers < marker->parallelism.extra_workers
                        ? parallelism->extra_workers
                        : marker->parallelism.extra_workers;
  if (wanted != 0 && !parallelism->at_once && spgc_worker_pool_should_decline(parallelism->pool)) {
    spgc_worker_pool_decline(parallelism->pool);
    wanted = 0;
  }
  uint32_t most = find_plab_blocks(heap, wanted, spgc_evacuation_blocks(bytes), free_blocks),
           extra_workers = 0;
  while (extra_workers < most && has_full_worklist(&heap->workers[0]) &&
         has_full_worklist(&heap->workers[extra_workers + 1]))
    engage_worker(evacuation, ++extra_workers);
  evacuation->parallelism =
      (struct spgc_parallelism){parallelism->pool, extra_workers, parallelism->at_once};
}

static void end_worker(struct spgc_evacuation *evacuation, uint32_t worker) {
  const struct spgc_evacuator *evacuator = &evacuation->workers[worker];
  evacuation->moved_objects += evacuator->moved_objects;
  evacuation->moved_bytes += spgc_evacuator_moved_bytes(evacuator);
  for (int i = 0; i < SPGC_PLABS; i++)
    spgc_plab_begin_count(&evacuator->worker->plabs[i]);
  evacuation->relabelled_bytes += evacuator->relabelled_bytes;
  evacuation->old_bytes += evacuator->old_bytes;
  evacuation->cards_read.all += evacuator->cards_read.all;
  evacuation->cards_read.small += evacuator->cards_read.small;
  evacuation->cards_read.blocks += evacuator->cards_read.blocks;
}

void spgc_evacuation_roll_back(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  end_worker(evacuation, 0);
  evacuation->moved_objects = evacuation->moved_bytes = 0;
  transfer(heap, &heap->condemned, &heap->nursery, SPGC_SPACE_NURSERY);
  transfer(heap, &heap->condemned_large, &heap->nursery_large, SPGC_SPACE_NURSERY_LARGE);
  for (uint32_t i = heap->nursery_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    heap->nursery_large_blocks += heap->blocks[i].run;
}

void spgc_evacuation_end(struct spgc_evacuation *evacuation) {
  for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++)
    end_worker(evacuation, worker);
  if (evacuation->marker != NULL)
    spgc_marker_gather(evacuation->marker);
  spgc_blocks_free_condemned(evacuation->heap);
}
