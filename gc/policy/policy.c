#include "gc/policy/policy.h"

#include "heap/blocks.h"
#include "heap/hole.h"
#include "support/min_max.h"

void spgc_policy_start(struct spgc_policy *policy, const struct spgc_options *options) {
  spgc_limit_start(&policy->limit, options);
  spgc_pacer_start(&policy->pacer, options);
  spgc_nursery_start(&policy->nursery, options);
  policy->residency = (struct spgc_residency){0};
  spgc_overhead_start(&policy->overhead, options);
  policy->compact = options->compact;
}

struct spgc_steps spgc_policy_steps(const struct spgc_policy *policy, const struct spgc_heap *heap,
                                    const struct spgc_cycle *cycle) {
  return (struct spgc_steps){.assist_pace = spgc_pacer_assist_pace(policy, heap, cycle),
                             .idle_blocks = policy->residency.excess_idle,
                             .kept_idle = policy->residency.kept_idle};
}

void spgc_policy_note_refusal(struct spgc_policy *policy, struct spgc_heap *heap) {
  if (!spgc_limit_negotiate(&policy->limit, heap, policy->nursery.budget_blocks))
    spgc_nursery_fit(&policy->nursery, &policy->limit);
}

/* A full marking has found all garbage, so the growth before it may have been the last. */
static void note_growth(struct spgc_residency *residency, const struct spgc_collected *collected) {
  size_t survived = collected->promoted ? collected->condemned_bytes : collected->moved_bytes;
  residency->growing_bytes += survived + collected->born_old_bytes;
  if (!collected->full)
    return;
  residency->grown_bytes = collected->partial ? residency->growing_bytes : 0;
  residency->growing_bytes = 0;
}

/* `growth_bytes` is what the old space may grow until its next cycle. */
static void settle_residency(struct spgc_policy *policy, struct spgc_heap *heap,
                             const struct spgc_collected *collected, size_t growth_bytes) {
  struct spgc_residency *residency = &policy->residency;
  size_t budget = policy->nursery.budget_blocks;
  note_growth(residency, collected);
  size_t expected_bytes =
      spgc_min(growth_bytes, spgc_max(residency->grown_bytes, collected->live_bytes));
  residency->kept_idle = budget + spgc_blocks_for_evacuation(budget * SPGC_BLOCK_BYTES) +
                         expected_bytes / SPGC_BLOCK_BYTES;
  if (!collected->full && !collected->promoted)
    heap->kept_resident = (uint32_t)spgc_max(spgc_blocks_for_evacuation(collected->moved_bytes),
                                             heap->kept_resident / 2);
  if (collected->asked_full && collected->called)
    spgc_blocks_discard_idle(heap, (uint32_t)residency->kept_idle, UINT32_MAX);
  size_t idle = spgc_blocks_resident(heap);
  residency->excess_idle = idle > residency->kept_idle ? idle - residency->kept_idle : 0;
}

void spgc_policy_collected(struct spgc_policy *policy, struct spgc_heap *heap,
                           const struct spgc_collected *collected) {
  const struct spgc_limit *limit = &policy->limit;
  size_t live_bytes = collected->live_bytes;
  policy->pacer.marks_slowly =
      policy->nursery.expects_survival && policy->nursery.survivors_are_small;
  spgc_pacer_collected(&policy->pacer, collected);
  spgc_overhead_collected(&policy->overhead, limit, heap, collected);
  spgc_nursery_collected(policy, heap, collected);
  if (limit->blocks != limit->option_blocks)
    spgc_policy_note_refusal(policy, heap);
  heap->least_hole_bytes = spgc_pacer_needs_small_holes(policy, heap, live_bytes)
                               ? SPGC_LEAST_HOLE_BYTES
                               : SPGC_WORTHY_HOLE_BYTES;
  settle_residency(policy, heap, collected, spgc_pacer_target(policy, live_bytes) - live_bytes);
}

bool spgc_policy_compacts(const struct spgc_policy *policy, const struct spgc_heap *heap,
                          size_t known_bytes, bool room_is_short) {
  if (policy->compact != SPGC_COMPACT_DEFAULT)
    return policy->compact == SPGC_COMPACT_ALWAYS;
  size_t taken = (size_t)heap->old_blocks * SPGC_BLOCK_BYTES + heap->old_large_bytes;
  return room_is_short || taken > known_bytes + taken / SPGC_UNUSED_PARTS;
}

struct spgc_compaction_work spgc_policy_compaction_work(const struct spgc_policy *policy) {
  if (policy->compact == SPGC_COMPACT_ALWAYS)
    return (struct spgc_compaction_work){SPGC_BLOCK_BYTES, SIZE_MAX, true};
  return (struct spgc_compaction_work){SPGC_SPARSE_BYTES, SPGC_MOST_COMPACTED, false};
}
