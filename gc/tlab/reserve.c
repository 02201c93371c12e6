#include "gc/tlab/reserve.h"

#include "gc/state/runtime.h"

enum { WHOLE = SPGC_RESERVE_BYTES / SPGC_BLOCK_BYTES };

static void set(struct spgc_reserve *reserve, size_t blocks) {
  spgc_runtime.policy.limit.reserve_blocks += blocks - reserve->blocks;
  reserve->blocks = blocks;
}

/* A promise leaves a block to allocate from. Otherwise reserves could take all that the limit
 * admits. */
bool spgc_reserve_take(struct spgc_reserve *reserve) {
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  size_t left_bytes = reserve->is_promised ? 0 : SPGC_BLOCK_BYTES;
  while (reserve->blocks < WHOLE &&
         spgc_limit_admits(limit, &spgc_runtime.heap, left_bytes, 0, limit->reserve_blocks + 1))
    set(reserve, reserve->blocks + 1);
  reserve->is_promised |= reserve->blocks == WHOLE;
  return reserve->is_promised;
}

/* Workers leave blocks partly filled, so a collection may free a block of the hook and still end
 * with as many in use. A running hook gets some in advance: eight objects of a quarter of a block
 * are 64 KiB. */
static bool gets_in_advance(const struct spgc_reserve *reserve, bool hook_runs) {
  enum { MOST_ADVANCED = 8 };
  return hook_runs && reserve->advanced_blocks < MOST_ADVANCED;
}

/* Takes blocks as the limit admits them, and freed blocks without room for their copies
 * (gc/policy/limit.h). So a promised reserve loses nothing whose objects have died. */
void spgc_reserve_refill(struct spgc_reserve *reserve, bool hook_runs, size_t *freed_blocks) {
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  if (!spgc_reserve_take(reserve))
    return;
  while (reserve->blocks < WHOLE && (*freed_blocks != 0 || gets_in_advance(reserve, hook_runs)) &&
         spgc_limit_unreserved_blocks(limit, &spgc_runtime.heap) != 0) {
    if (*freed_blocks != 0)
      --*freed_blocks;
    else
      reserve->advanced_blocks++;
    set(reserve, reserve->blocks + 1);
  }
}

void spgc_reserve_release(struct spgc_reserve *reserve) {
  reserve->is_promised = false;
  set(reserve, 0);
}

/* If the limit does not, the reserve still serves, without room for copies. */
bool spgc_reserve_admits(struct spgc_reserve *reserve, bool hook_runs, size_t blocks, bool is_large,
                         bool *from) {
  const struct spgc_limit *limit = &spgc_runtime.policy.limit;
  const struct spgc_heap *heap = &spgc_runtime.heap;
  size_t small_bytes = is_large ? 0 : blocks * SPGC_BLOCK_BYTES,
         large_blocks = is_large ? blocks : 0;
  if (!hook_runs)
    spgc_reserve_take(reserve); /* restores it if the hook was left */
  *from = !spgc_limit_admits(limit, heap, small_bytes, large_blocks, limit->reserve_blocks);
  size_t of_others = limit->reserve_blocks - reserve->blocks;
  return !*from ||
         (hook_runs && (spgc_limit_admits(limit, heap, small_bytes, large_blocks, of_others) ||
                        (blocks <= reserve->blocks &&
                         spgc_limit_free_blocks(limit, heap) >= of_others + blocks)));
}

void spgc_reserve_use(struct spgc_reserve *reserve, size_t blocks) {
  set(reserve, reserve->blocks > blocks ? reserve->blocks - blocks : 0);
}
