#include "gc/policy/limit.h"

#include <stdio.h>
#include <string.h>

#include "gc/policy/machine.h"
#include "heap/blocks.h"
#include "heap/hole.h"
#include "support/min_max.h"

struct spgc_limit_choice spgc_limit_default(void) {
  enum { OTHERS_PARTS = 4 };
  struct spgc_machine_memory memory;
  spgc_machine_memory_read(&memory);
  size_t share = memory.bytes - memory.bytes / OTHERS_PARTS, data = spgc_half_of_data();
  struct spgc_limit_choice choice = {.bytes = spgc_min(share, data)};
  if (choice.bytes < SPGC_LEAST_LIMIT) {
    choice.bytes = SPGC_LEAST_LIMIT;
    strcpy(choice.origin, "the least limit, because memory is short");
  } else if (data < share) {
    strcpy(choice.origin, "half of what RLIMIT_DATA leaves");
  } else if (memory.file[0] == '\0') {
    strcpy(choice.origin, "three quarters of the machine's memory");
  } else {
    snprintf(choice.origin, sizeof choice.origin, "three quarters of what %.400s admits",
             memory.file);
  }
  return choice;
}

void spgc_limit_start(struct spgc_limit *limit, const struct spgc_options *options) {
  size_t blocks = options->heap_limit / SPGC_BLOCK_BYTES;
  *limit = (struct spgc_limit){.option_blocks = blocks,
                               .blocks = blocks,
                               .moves_all = options->move == SPGC_MOVE_ALWAYS,
                               .relocates_all = options->compact == SPGC_COMPACT_ALWAYS,
                               .counts_accessible = spgc_accessible_memory_counts()};
}

bool spgc_limit_admits(const struct spgc_limit *limit, const struct spgc_heap *heap,
                       size_t small_bytes, size_t large_blocks, size_t reserve_blocks) {
  if (large_blocks > limit->blocks)
    return false;
  size_t old = heap->old_blocks;
  size_t young = heap->nursery.count + spgc_blocks_for(small_bytes) + reserve_blocks;
  size_t moving = limit->moves_all ? old + young : young;
  size_t copies = spgc_blocks_for_evacuation(moving * SPGC_BLOCK_BYTES);
  return heap->large_blocks + large_blocks + old + young + copies <= limit->blocks;
}

static bool admits_less(const struct spgc_limit *limit, const struct spgc_heap *heap,
                        size_t useful) {
  size_t used = heap->nursery.count + heap->nursery_large_blocks;
  return used < useful && !spgc_limit_admits(limit, heap, (useful - used) * SPGC_BLOCK_BYTES, 0,
                                             limit->reserve_blocks);
}

bool spgc_limit_is_near(const struct spgc_limit *limit, const struct spgc_heap *heap,
                        size_t nursery_blocks) {
  enum { USEFUL_PARTS = 4 }; /* of a nursery: docs/policy.md, "Limit" */
  return admits_less(limit, heap, nursery_blocks / USEFUL_PARTS + 1);
}

bool spgc_limit_is_tight(const struct spgc_limit *limit, const struct spgc_heap *heap,
                         size_t nursery_blocks) {
  return spgc_recyclable_exist(heap) ? admits_less(limit, heap, 1)
                                     : spgc_limit_is_near(limit, heap, nursery_blocks);
}

/* A nursery of one block, the reserves and their copies: with less the limit stays tight. */
static size_t least_room(const struct spgc_limit *limit) {
  size_t young = 1 + limit->reserve_blocks;
  return young + spgc_blocks_for_evacuation(young * SPGC_BLOCK_BYTES);
}

struct spgc_sparse spgc_limit_sparse(const struct spgc_limit *limit, const struct spgc_heap *heap) {
  enum { ROOM_PARTS = 8 };
  const size_t all = SIZE_MAX / 2, not_full = SPGC_BLOCK_BYTES - 1;
  size_t room = spgc_max(limit->blocks / ROOM_PARTS, least_room(limit));
  size_t free = spgc_limit_free_blocks(limit, heap);
  if (limit->relocates_all)
    return (struct spgc_sparse){.most_live_bytes = not_full, .unused_bytes = all};
  if (free < room)
    return (struct spgc_sparse){.most_live_bytes = not_full,
                                .unused_bytes = (2 * room - free) * SPGC_BLOCK_BYTES};
  return (struct spgc_sparse){.most_live_bytes = spgc_holes_abound(heap) ? SPGC_SPARSE_BYTES : 0,
                              .unused_bytes = all};
}

size_t spgc_limit_free_blocks(const struct spgc_limit *limit, const struct spgc_heap *heap) {
  return heap->used_blocks < limit->blocks ? limit->blocks - heap->used_blocks : 0;
}

size_t spgc_limit_unreserved_blocks(const struct spgc_limit *limit, const struct spgc_heap *heap) {
  size_t blocks = spgc_limit_free_blocks(limit, heap);
  return limit->reserve_blocks < blocks ? blocks - limit->reserve_blocks : 0;
}

bool spgc_limit_negotiate(struct spgc_limit *limit, struct spgc_heap *heap, size_t nursery_blocks) {
  size_t option = limit->option_blocks;
  size_t left = option > heap->used_blocks ? option - heap->used_blocks : 0;
  size_t wanted = nursery_blocks + spgc_blocks_for_evacuation(nursery_blocks * SPGC_BLOCK_BYTES);
  bool granted = spgc_blocks_prepare(heap, spgc_min(wanted, left));
  size_t accessible = spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES) +
                      spgc_blocks_accessible(heap, SPGC_ZONE_RUNS);
  limit->blocks = granted ? option : spgc_min(heap->used_blocks + accessible, option);
  return granted;
}

enum { WHOLE_RESERVE = SPGC_RESERVE_BYTES / SPGC_BLOCK_BYTES };

static void set(struct spgc_reserve *reserve, struct spgc_limit *limit, size_t blocks) {
  limit->reserve_blocks += blocks - reserve->blocks;
  reserve->blocks = blocks;
}

/* A promise leaves a block to allocate from: reserves must not take all that the limit admits. */
bool spgc_reserve_take(struct spgc_reserve *reserve, struct spgc_limit *limit,
                       const struct spgc_heap *heap) {
  size_t left_bytes = reserve->is_promised ? 0 : SPGC_BLOCK_BYTES;
  while (reserve->blocks < WHOLE_RESERVE &&
         spgc_limit_admits(limit, heap, left_bytes, 0, limit->reserve_blocks + 1))
    set(reserve, limit, reserve->blocks + 1);
  reserve->is_promised |= reserve->blocks == WHOLE_RESERVE;
  return reserve->is_promised;
}

/* Workers leave blocks partly filled, so a collection that frees a block of the hook may end with
 * as many in use. A running hook gets some in advance. */
static bool gets_in_advance(const struct spgc_reserve *reserve, bool hook_runs) {
  enum { MOST_ADVANCED = 8 };
  return hook_runs && reserve->advanced_blocks < MOST_ADVANCED;
}

/* As the limit admits them, and freed blocks without room for copies: a promised reserve loses
 * nothing whose objects have died. */
void spgc_reserve_refill(struct spgc_reserve *reserve, struct spgc_limit *limit,
                         const struct spgc_heap *heap, bool hook_runs, size_t *freed_blocks) {
  if (!spgc_reserve_take(reserve, limit, heap))
    return;
  while (reserve->blocks < WHOLE_RESERVE &&
         (*freed_blocks != 0 || gets_in_advance(reserve, hook_runs)) &&
         spgc_limit_unreserved_blocks(limit, heap) != 0) {
    if (*freed_blocks != 0)
      --*freed_blocks;
    else
      reserve->advanced_blocks++;
    set(reserve, limit, reserve->blocks + 1);
  }
}

void spgc_reserve_release(struct spgc_reserve *reserve, struct spgc_limit *limit) {
  reserve->is_promised = false;
  set(reserve, limit, 0);
}

/* If the limit does not, the reserve still serves, without room for copies. */
bool spgc_reserve_admits(struct spgc_reserve *reserve, struct spgc_limit *limit,
                         const struct spgc_heap *heap, bool hook_runs, size_t blocks, bool is_large,
                         bool *from) {
  size_t small_bytes = is_large ? 0 : blocks * SPGC_BLOCK_BYTES,
         large_blocks = is_large ? blocks : 0;
  if (!hook_runs)
    spgc_reserve_take(reserve, limit, heap); /* restores it if the hook was left */
  *from = !spgc_limit_admits(limit, heap, small_bytes, large_blocks, limit->reserve_blocks);
  size_t of_others = limit->reserve_blocks - reserve->blocks;
  return !*from ||
         (hook_runs && (spgc_limit_admits(limit, heap, small_bytes, large_blocks, of_others) ||
                        (blocks <= reserve->blocks &&
                         spgc_limit_free_blocks(limit, heap) >= of_others + blocks)));
}

void spgc_reserve_use(struct spgc_reserve *reserve, struct spgc_limit *limit, size_t blocks) {
  set(reserve, limit, reserve->blocks > blocks ? reserve->blocks - blocks : 0);
}
