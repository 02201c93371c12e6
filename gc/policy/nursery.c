#include "gc/policy/nursery.h"

#include "gc/policy/policy.h"
#include "gc/policy/without.h"
#include "heap/hole.h"
#include "support/min_max.h"

enum {
  LIMIT_PARTS = 16,           /* of the limit; with its copies a nursery takes at most 1/7 */
  PROMOTED_TIMES = 7,         /* a sample's size, in place, after one that survived */
  SMALL_SURVIVOR_BYTES = 256, /* in the mean: smaller objects take long to mark */
};

void spgc_nursery_start(struct spgc_nursery *nursery, const struct spgc_options *options) {
  size_t share = options->heap_limit / LIMIT_PARTS, fixed = options->nursery_size;
  size_t least = fixed != 0 ? fixed : spgc_min(share, SPGC_LEAST_NURSERY_BYTES);
  size_t most = fixed != 0 ? fixed : spgc_min(share, SPGC_CACHED_NURSERY_BYTES);
  uint64_t pause_ns = fixed != 0 ? 0 : SPGC_PAUSE_NS;
  if (options->move ==
      SPGC_MOVE_ALWAYS) /* a run with this seed must repeat: nothing depends on a clock */
    most = least;
  *nursery = (struct spgc_nursery){
      .pause_ns = options->pause_us != 0 ? UINT64_C(1000) * options->pause_us : pause_ns,
      .budget_blocks = least / SPGC_BLOCK_BYTES,
      .copying_blocks = least / SPGC_BLOCK_BYTES,
      .least_copying_blocks = least / SPGC_BLOCK_BYTES,
      .most_copying_blocks = most / SPGC_BLOCK_BYTES,
      .share_blocks = share / SPGC_BLOCK_BYTES,
      .predicts = !spgc_is_without(options, SPGC_WITHOUT_PREDICTION),
      .most_born_old_bytes = most,
      .may_make_born_old = !spgc_is_without(options, SPGC_WITHOUT_BORN_OLD),
  };
}

bool spgc_nursery_expects_survival(const struct spgc_nursery *nursery) {
  return nursery->blocks_to_sample != 0;
}

/* Such a nursery was sized for promotion; copying it would take too long. */
bool spgc_nursery_is_oversized(const struct spgc_nursery *nursery, const struct spgc_heap *heap) {
  size_t copied = spgc_max(nursery->copying_blocks, nursery->least_copying_blocks);
  return heap->nursery.count > spgc_max(copied, nursery->mutators);
}

bool spgc_nursery_is_half_full(const struct spgc_nursery *nursery, const struct spgc_heap *heap) {
  return heap->nursery.count >= nursery->copying_blocks / 2;
}

uint64_t spgc_nursery_final_mark_deadline(const struct spgc_nursery *nursery, uint64_t begun_ns) {
  return nursery->pause_ns == 0 ? UINT64_MAX : begun_ns + nursery->pause_ns;
}

static size_t condemned_blocks(const struct spgc_collected *collected) {
  return collected->condemned_bytes / SPGC_BLOCK_BYTES;
}

static bool is_sample(const struct spgc_nursery *nursery, const struct spgc_collected *collected) {
  enum { LEAST_BYTES = 3 << 15 }; /* 3/4 of the least size, 128 KiB */
  size_t blocks = condemned_blocks(collected);
  return collected->condemned_bytes >= LEAST_BYTES &&
         (collected->reason == SPGC_REASON_LIMIT ||
          blocks >= spgc_min(nursery->copying_blocks, nursery->least_copying_blocks) / 2);
}

static bool expects_survival(const struct spgc_nursery *nursery,
                             const struct spgc_collected *collected) {
  enum { LIVE_TIMES = 2 };
  return nursery->may_make_born_old &&
         nursery->streak_blocks * SPGC_BLOCK_BYTES >
             LIVE_TIMES * spgc_max(collected->live_bytes, SPGC_LEAST_GROWTH_BYTES);
}

static const size_t until_marked = SIZE_MAX;

/* If objects are born old, a sample in each cycle is enough. */
static void put_off_sample(struct spgc_nursery *nursery, const struct spgc_collected *collected,
                           size_t blocks) {
  nursery->blocks_to_sample =
      expects_survival(nursery, collected)
          ? until_marked
          : PROMOTED_TIMES * spgc_max(blocks, nursery->least_copying_blocks);
}

/* Otherwise a sample's survivors may be parts of a structure that is being built, which only its
 * builder refers to. */
static bool hang_on_old_objects(const struct spgc_collected *collected) {
  enum { LEAST_CARDS_PER_BLOCK = 4 };
  return collected->cards_read >= LEAST_CARDS_PER_BLOCK * condemned_blocks(collected);
}

static void predict_survival(struct spgc_nursery *nursery, const struct spgc_collected *collected) {
  size_t blocks = condemned_blocks(collected) + collected->born_old_bytes / SPGC_BLOCK_BYTES;
  bool tells = is_sample(nursery, collected);
  bool most_died = collected->moved_bytes < collected->condemned_bytes / 2;
  if (collected->asked_full || (tells && !collected->promoted && most_died)) {
    nursery->blocks_to_sample = nursery->streak_blocks = 0;
  } else if (collected->promoted) {
    if (nursery->blocks_to_sample != until_marked)
      nursery->blocks_to_sample -= spgc_min(blocks, nursery->blocks_to_sample);
    nursery->streak_blocks += blocks;
  } else if (tells && nursery->predicts) {
    nursery->streak_blocks = hang_on_old_objects(collected) ? nursery->streak_blocks + blocks : 0;
    if (!collected->full) /* without those that a compaction moved */
      nursery->survivors_are_small =
          collected->moved_bytes < SMALL_SURVIVOR_BYTES * collected->moved_objects;
    put_off_sample(nursery, collected, blocks);
  }
  if (collected->full && nursery->blocks_to_sample == until_marked)
    nursery->blocks_to_sample = 0;
}

/* Two thirds of the pause, because survival may rise by half. */
static uint64_t pause_goal_ns(const struct spgc_nursery *nursery) {
  return nursery->pause_ns / 3 * 2;
}

/* The part that does not depend on the nursery's size. */
static uint64_t fixed_ns(const struct spgc_collected *collected) {
  enum { DIRTY_CARD_NS = 50 };
  return DIRTY_CARD_NS * (uint64_t)collected->cards_read + collected->roots_ns;
}

static bool most_survived(const struct spgc_collected *collected) {
  return collected->moved_bytes > collected->condemned_bytes / 2;
}

static size_t least_copying_blocks(const struct spgc_nursery *nursery,
                                   const struct spgc_collected *collected) {
  enum { SAMPLE_PARTS = 16, SURVIVING_PARTS = 2 };
  if (nursery->expects_survival)
    return nursery->least_copying_blocks / SAMPLE_PARTS;
  return nursery->least_copying_blocks / (most_survived(collected) ? SURVIVING_PARTS : 1);
}

static size_t most_copying_blocks(const struct spgc_nursery *nursery,
                                  const struct spgc_collected *collected, bool is_mostly_fixed) {
  enum {
    MOST_FACTOR = 2, /* of the usual maximum */
    LIVE_PARTS = 4,  /* of the live bytes: compared with them the nursery is hardly noticed */
  };
  size_t most = spgc_min(MOST_FACTOR * nursery->most_copying_blocks, nursery->share_blocks);
  if (is_mostly_fixed)
    return most;
  if (most_survived(collected))
    return least_copying_blocks(nursery, collected);
  return spgc_max(spgc_min(collected->live_bytes / LIVE_PARTS / SPGC_BLOCK_BYTES, most),
                  nursery->most_copying_blocks);
}

/* Copying twice as much takes about twice as long. */
static size_t after_copying(const struct spgc_nursery *nursery,
                            const struct spgc_collected *collected) {
  size_t blocks = nursery->copying_blocks, half = blocks / 2;
  uint64_t fixed = fixed_ns(collected), goal = pause_goal_ns(nursery);
  uint64_t copy = collected->pause_ns > fixed ? collected->pause_ns - fixed : 0;
  if (copy > goal)
    blocks = spgc_min(blocks, spgc_max(half, least_copying_blocks(nursery, collected)));
  else if (2 * copy < goal && condemned_blocks(collected) >= half)
    blocks *= 2;
  return spgc_min(blocks, most_copying_blocks(nursery, collected, fixed > goal));
}

/* The size was given, or the limit is low. */
static bool has_one_size(const struct spgc_nursery *nursery) {
  return nursery->most_copying_blocks == nursery->least_copying_blocks;
}

/* Half the least size: a short pause copies it even if all survives. */
static size_t budget_during_marking(const struct spgc_nursery *nursery) {
  return spgc_max(nursery->copying_blocks, nursery->least_copying_blocks / 2);
}

static size_t next_budget(const struct spgc_policy *policy, const struct spgc_heap *heap,
                          const struct spgc_collected *collected) {
  const struct spgc_nursery *nursery = &policy->nursery;
  size_t least = nursery->least_copying_blocks, most = nursery->most_copying_blocks;
  if (nursery->makes_born_old)
    return collected->marking && spgc_recyclable_exist(heap) ? budget_during_marking(nursery)
                                                             : most;
  if (nursery->blocks_to_sample == 0 ||
      !spgc_pacer_has_headroom(policy, heap, least, collected->live_bytes))
    return nursery->copying_blocks;
  return spgc_pacer_has_headroom(policy, heap, most, collected->live_bytes) ? most : least;
}

/* The bytes until the next cycle is due or the next sample, but at least what is promoted at
 * once. */
static size_t born_old_before_next(const struct spgc_policy *policy, const struct spgc_heap *heap,
                                   const struct spgc_collected *collected) {
  const struct spgc_nursery *nursery = &policy->nursery;
  size_t live_bytes = collected->live_bytes, target = spgc_pacer_target(policy, live_bytes);
  size_t left = target > collected->old_bytes ? target - collected->old_bytes : 0;
  left = spgc_min(left, spgc_pacer_room(policy, heap, budget_during_marking(nursery), live_bytes));
  size_t blocks = spgc_min(left / SPGC_BLOCK_BYTES, nursery->blocks_to_sample);
  return spgc_max(blocks, nursery->most_copying_blocks) * SPGC_BLOCK_BYTES;
}

void spgc_nursery_collected(struct spgc_policy *policy, const struct spgc_heap *heap,
                            const struct spgc_collected *collected) {
  struct spgc_nursery *nursery = &policy->nursery;
  predict_survival(nursery, collected);
  nursery->expects_survival = expects_survival(nursery, collected);
  if (!collected->full && !collected->promoted && !has_one_size(nursery))
    nursery->copying_blocks = after_copying(nursery, collected);
  nursery->makes_born_old = nursery->expects_survival && nursery->blocks_to_sample != 0;
  nursery->most_born_old_bytes = born_old_before_next(policy, heap, collected);
  nursery->budget_blocks = next_budget(policy, heap, collected);
}

void spgc_nursery_fit(struct spgc_nursery *nursery, const struct spgc_limit *limit) {
  size_t share = spgc_max(limit->blocks / LIMIT_PARTS, 1);
  nursery->budget_blocks = spgc_min(nursery->budget_blocks, share);
}
