#include "gc/policy/compaction.h"

#include "heap/hole.h"
#include "support/min_max.h"

enum {
  SPARSE_BYTES = SPGC_BLOCK_BYTES / 8 * 5,
  PAUSE_NS = 1000000,
  FIRST_COST_PS = 100000, /* 0.1 microseconds */
  LEAST_BUDGET = 4096,
  FIRST_OBJECTS_PER_BLOCK = SPGC_BLOCK_BYTES / 64,
  LEARNT_PARTS = 4, /* weight of the last measurement */
};

static const uint64_t ps_of_ns = 1000;

void spgc_compaction_start(struct spgc_compaction_policy *policy,
                           const struct spgc_options *options) {
  *policy = (struct spgc_compaction_policy){.compact = options->compact,
                                            .learns = options->nursery_size == 0 &&
                                                      options->stress == SPGC_STRESS_NONE,
                                            .cost_ps = FIRST_COST_PS,
                                            .objects_per_block = FIRST_OBJECTS_PER_BLOCK};
}

bool spgc_compaction_is_due(const struct spgc_compaction_policy *policy,
                            const struct spgc_heap *heap, bool room_is_short) {
  if (policy->compact != SPGC_COMPACT_DEFAULT)
    return policy->compact == SPGC_COMPACT_ALWAYS;
  return room_is_short || spgc_holes_abound(heap);
}

struct spgc_compaction_work spgc_compaction_work(const struct spgc_compaction_policy *policy) {
  if (policy->compact == SPGC_COMPACT_ALWAYS)
    return (struct spgc_compaction_work){SPGC_BLOCK_BYTES, SIZE_MAX, 1};
  size_t budget = PAUSE_NS * ps_of_ns / policy->cost_ps;
  return (struct spgc_compaction_work){SPARSE_BYTES, spgc_max(budget, LEAST_BUDGET),
                                       policy->objects_per_block};
}

static size_t learn(size_t believed, size_t seen) {
  return believed - believed / LEARNT_PARTS + seen / LEARNT_PARTS;
}

void spgc_compaction_done(struct spgc_compaction_policy *policy,
                          const struct spgc_compacted *compacted) {
  size_t work = compacted->objects + compacted->slots;
  if (!policy->learns || work == 0 || compacted->bytes == 0)
    return;
  policy->cost_ps = spgc_max(learn(policy->cost_ps, compacted->cpu_ns * ps_of_ns / work), 1);
  policy->objects_per_block = spgc_max(
      learn(policy->objects_per_block, compacted->objects * SPGC_BLOCK_BYTES / compacted->bytes),
      1);
}
