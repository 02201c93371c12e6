/* The workers, the rare cases of the copying loop, and draining. */
#include "gc/trace/evacuate.h"

#include "heap/hole.h"
#include "heap/relocation.h"
#include "heap/remembered/new_large.h"

static void begin_worker(struct spgc_evacuation *evacuation, uint32_t worker) {
  struct spgc_heap *heap = evacuation->heap;
  const struct spgc_marker *marker = evacuation->marker;
  evacuation->workers[worker] = (struct spgc_evacuator){
      .heap = heap,
      .evacuation = evacuation,
      .worker = &heap->workers[worker],
      .recyclable = evacuation->recyclable,
      .scanner = marker != NULL ? &evacuation->marker->scanners[worker] : NULL};
  for (int i = 0; i < SPGC_PLABS; i++)
    spgc_plab_begin_count(&heap->workers[worker].plabs[i]);
}

void spgc_evacuation_begin(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                           struct spgc_marker *marker, struct spgc_random *shuffle) {
  evacuation->heap = heap;
  evacuation->marker = marker;
  evacuation->leaves_cards = false;
  evacuation->recyclable = SPGC_ALL_BLOCKS;
  begin_worker(evacuation, 0);
  evacuation->workers[0].shuffle = shuffle;
}

void spgc_evacuation_engage(struct spgc_evacuation *evacuation,
                            const struct spgc_parallelism *parallelism) {
  const struct spgc_marker *marker = evacuation->marker;
  evacuation->parallelism = *parallelism;
  uint32_t *extra_workers = &evacuation->parallelism.extra_workers;
  if (marker != NULL && marker->parallelism.extra_workers < *extra_workers)
    *extra_workers = marker->parallelism.extra_workers;
  if (*extra_workers != 0 && !parallelism->at_once && spgc_worker_pool_declines(parallelism->pool))
    *extra_workers = 0;
  const struct spgc_random *shuffle = evacuation->workers[0].shuffle;
  for (uint32_t worker = 1; worker <= *extra_workers; worker++) {
    struct spgc_evacuator *evacuator = &evacuation->workers[worker];
    begin_worker(evacuation, worker);
    if (shuffle == NULL)
      continue;
    /* Each worker has its own sequence. */
    evacuator->own_shuffle.state = shuffle->state + ((uint64_t)worker << UINT32_WIDTH);
    evacuator->shuffle = &evacuator->own_shuffle;
  }
}

static struct spgc_ref address_from_now_on(const void *evacuation, struct spgc_ref object) {
  const struct spgc_heap *heap = ((const struct spgc_evacuation *)evacuation)->heap;
  if (!spgc_heap_contains(heap, object.word))
    return object;
  enum spgc_space space = spgc_heap_space(heap, spgc_heap_block_of(heap, object.word));
  if (!spgc_space_is_condemned(space))
    return object;
  if (space == SPGC_SPACE_RELOCATING)
    return (struct spgc_ref){spgc_relocation_address(heap, object.word)};
  uintptr_t header = spgc_object_header(object);
  bool moved = space == SPGC_SPACE_CONDEMNED && spgc_heap_contains(heap, header);
  return (struct spgc_ref){moved ? header : 0};
}

static void forward_slot(void *evacuation, struct spgc_slot slot) {
  spgc_evacuation_forward(evacuation, slot);
}

static void drain(void *evacuation) {
  spgc_evacuation_drain(evacuation);
}

static void set_hook(void *evacuation, const struct spgc_trace_hook *hook) {
  ((struct spgc_evacuation *)evacuation)->workers[0].hook = hook;
}

struct spgc_liveness spgc_evacuation_liveness(struct spgc_evacuation *evacuation, bool all) {
  return (struct spgc_liveness){.heap = evacuation->heap,
                                .all = all,
                                .needs_roots = all || evacuation->marker != NULL,
                                .tracer = evacuation,
                                .weak_slots = &evacuation->heap->weak_slots,
                                .address = address_from_now_on,
                                .keep_alive = forward_slot,
                                .drain = drain,
                                .set_hook = set_hook};
}

void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object) {
  evacuator->overflowed = true;
  evacuator->heap->blocks[spgc_heap_block_of(evacuator->heap, object)].copies_wait = true;
}

/* One by one, so that any worker can scan them; only those stored to, if that is known. */
static void push_parts(struct spgc_evacuator *evacuator, uint32_t index) {
  struct spgc_heap *heap = evacuator->heap;
  struct spgc_worklist *stack = &evacuator->worker->stack;
  if (!spgc_type_has_references(spgc_object_type(spgc_heap_first_object(heap, index))))
    return;
  bool all = !spgc_new_large_is_noted(heap, index);
  for (uint32_t part = heap->blocks[index].run; part-- != 0;) {
    if (!all && !spgc_new_large_holds(heap, index + part))
      continue;
    if (!spgc_worklist_has_space(stack, 1)) {
      spgc_evacuator_overflow(evacuator, spgc_heap_block_start(heap, index));
      return;
    }
    spgc_worklist_push(stack, (uintptr_t)index << 32 | (uintptr_t)part << SPGC_ENTRY_BITS |
                                  SPGC_ENTRY_PART);
  }
}

void spgc_evacuator_count_survivor(struct spgc_evacuator *evacuator, uint32_t index, size_t bytes) {
  if (evacuator->shuffle != NULL && evacuator->heap->blocks[index].was_old)
    evacuator->old_bytes += bytes;
}

uintptr_t spgc_evacuation_hold(struct spgc_evacuation *evacuation, struct spgc_ref object) {
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  uint32_t index = spgc_heap_block_of(evacuation->heap, object.word);
  if (spgc_heap_space(evacuation->heap, index) != SPGC_SPACE_CONDEMNED)
    return 0;
  uintptr_t header = spgc_object_header(object);
  size_t bytes = spgc_object_bytes(object, (const struct spgc_type *)header);
  spgc_object_set_header(object, object.word);
  evacuator->relabelled_bytes += bytes;
  spgc_evacuator_count_survivor(evacuator, index, bytes);
  return header;
}

uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t header,
                              enum spgc_trace_mode mode) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes((struct spgc_ref){from}, type);
  size_t chosen = evacuator->shuffle != NULL ? spgc_random_next(evacuator->shuffle) % SPGC_PLABS
                                             : bytes > SPGC_LARGEST_IN_HOLE;
  struct spgc_plab *plab = &evacuator->worker->plabs[chosen];
  if (bytes > plab->limit - plab->cursor)
    spgc_plab_refill(evacuator->heap, plab, bytes,
                     evacuator->shuffle == NULL ? evacuator->recyclable : SPGC_NO_BLOCKS);
  uintptr_t to = plab->cursor;
  spgc_object_copy(to, from, header, bytes);
  uintptr_t claimed = spgc_object_claim(from, header, to, mode);
  if (claimed == to) {
    plab->cursor += bytes;
    evacuator->moved_objects++;
    spgc_evacuator_count_survivor(evacuator, spgc_heap_block_of(evacuator->heap, from), bytes);
    if (evacuator->scanner != NULL)
      spgc_mark_survivor(evacuator->scanner, (struct spgc_ref){to}, bytes, mode);
    if (evacuator->hook != NULL)
      evacuator->hook->reached(evacuator->hook->context, (struct spgc_ref){from});
    if (spgc_type_has_references(type))
      spgc_evacuator_push_copies(evacuator, to, to + bytes);
  }
  spgc_plab_fill(plab);
  return claimed;
}

void spgc_evacuator_relabel(struct spgc_evacuator *evacuator, uint32_t index) {
  struct spgc_heap *heap = evacuator->heap;
  if (__atomic_exchange_n(&heap->spaces[index], SPGC_SPACE_OLD_LARGE, __ATOMIC_ACQ_REL) !=
      SPGC_SPACE_CONDEMNED_LARGE)
    return; /* another worker did */
  if (evacuator->scanner != NULL)
    spgc_mark_large_survivor(evacuator->scanner, index);
  evacuator->relabelled_bytes += heap->blocks[index].large_bytes;
  spgc_evacuator_count_survivor(evacuator, index, heap->blocks[index].large_bytes);
  if (evacuator->hook != NULL)
    evacuator->hook->reached(evacuator->hook->context, spgc_heap_first_object(heap, index));
  push_parts(evacuator, index);
}

void spgc_evacuator_relocate(const struct spgc_evacuator *evacuator, struct spgc_slot slot) {
  slot.location->word = spgc_relocation_address(evacuator->heap, slot.location->word);
}

bool spgc_evacuator_record_weak(struct spgc_evacuator *evacuator, struct spgc_slot element) {
  struct spgc_heap *heap = evacuator->heap;
  struct spgc_recorder *recorder = &evacuator->weak_recorder;
  if (recorder->chunk == NULL && !evacuator->follows_weak) {
    pthread_mutex_lock(&heap->lock);
    evacuator->follows_weak = !spgc_recorded_open(&heap->weak_slots);
    pthread_mutex_unlock(&heap->lock);
  }
  if (!evacuator->follows_weak)
    evacuator->follows_weak = !spgc_recorded_add(&heap->weak_slots, recorder, element);
  return !evacuator->follows_weak;
}

enum {
  CHECK_PERIOD = 4, /* entries between decisions to call other workers */
  WORTH_PARALLEL_ENTRIES = 4,
};

static size_t moved_bytes(const struct spgc_evacuator *evacuator) {
  size_t bytes = 0;
  for (int i = 0; i < SPGC_PLABS; i++)
    bytes += spgc_plab_given(&evacuator->worker->plabs[i]);
  return bytes;
}

static bool is_worth_parallelism(const struct spgc_evacuation *evacuation) {
  const struct spgc_evacuator *evacuator = &evacuation->workers[0];
  if (evacuation->parallelism.extra_workers == 0 || evacuator->hook != NULL)
    return false;
  return evacuation->parallelism.at_once ||
         (moved_bytes(evacuator) >= SPGC_ALONE_BYTES &&
          evacuator->worker->stack.count >= WORTH_PARALLEL_ENTRIES);
}

/* False if other workers should be called. */
static bool drain_serial(struct spgc_evacuation *evacuation) {
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  do {
    if (evacuator->worker->stack.count != 0 && is_worth_parallelism(evacuation))
      return false;
    spgc_evacuator_scan_some(evacuator, evacuation->parallelism.extra_workers == 0 ? UINT32_MAX
                                                                                   : CHECK_PERIOD);
  } while (evacuator->worker->stack.count != 0);
  return true;
}

static bool claim_unit(struct spgc_evacuation *evacuation, struct spgc_range *unit) {
  const struct spgc_range all = evacuation->scanned;
  uint32_t left = __atomic_load_n(&evacuation->units_left, __ATOMIC_RELAXED);
  do
    if (left == 0)
      return false;
  while (!__atomic_compare_exchange_n(&evacuation->units_left, &left, left - 1, true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  uint64_t number = SPGC_UNITS - left, count = all.end - all.first;
  *unit = (struct spgc_range){all.first + (uint32_t)(count * number / SPGC_UNITS),
                              all.first + (uint32_t)(count * (number + 1) / SPGC_UNITS)};
  return true;
}

static void take_part(void *context, uint32_t worker) {
  struct spgc_evacuation *evacuation = context;
  struct spgc_evacuator *evacuator = &evacuation->workers[worker];
  struct spgc_shared_worklist *shared = &evacuation->parallelism.pool->shared;
  if (worker != 0 && !spgc_shared_worklist_join(shared))
    return;
  do {
    for (struct spgc_range unit; claim_unit(evacuation, &unit);) {
      if (evacuation->walks_singles)
        evacuator->recyclable = unit;
      evacuation->scan_unit(evacuator, unit, true);
      spgc_evacuator_scan_own(evacuator, shared);
    }
    spgc_evacuator_scan_own(evacuator, shared);
  } while (spgc_shared_worklist_take(shared, &evacuator->worker->stack));
}

void spgc_evacuation_drain_parallel(struct spgc_evacuation *evacuation) {
  enum { TAKING_PART_FROM_THE_START = 1 };
  spgc_shared_worklist_open(&evacuation->parallelism.pool->shared, TAKING_PART_FROM_THE_START);
  spgc_worker_pool_run(evacuation->parallelism.pool, evacuation->parallelism.extra_workers,
                       take_part, evacuation);
}

void spgc_evacuation_drain(struct spgc_evacuation *evacuation) {
  for (;;) {
    bool overflowed = false;
    if (!drain_serial(evacuation))
      spgc_evacuation_drain_parallel(evacuation);
    for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++) {
      overflowed |= evacuation->workers[worker].overflowed;
      evacuation->workers[worker].overflowed = false;
    }
    if (!overflowed)
      return;
    spgc_evacuator_scan_waiting(&evacuation->workers[0]);
  }
}

void spgc_evacuation_end(struct spgc_evacuation *evacuation) {
  for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++) {
    const struct spgc_evacuator *evacuator = &evacuation->workers[worker];
    evacuation->moved_objects += evacuator->moved_objects;
    evacuation->moved_bytes += moved_bytes(evacuator);
    evacuation->relabelled_bytes += evacuator->relabelled_bytes;
    evacuation->old_bytes += evacuator->old_bytes;
    evacuation->cards_read += evacuator->cards_read;
  }
  if (evacuation->marker != NULL)
    spgc_marker_gather(evacuation->marker);
  spgc_recorded_forget(&evacuation->heap->weak_slots);
}
