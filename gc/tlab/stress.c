#include "gc/tlab/stress.h"

#include "gc/state/runtime.h"

/* Depends only on the allocation's number and the seed, so that a run repeats. */
static bool draws(uint64_t allocation, const struct spgc_options *options, double probability) {
  struct spgc_random random = {options->seed};
  random.state = spgc_random_next(&random) + allocation;
  double drawn = (double)(spgc_random_next(&random) >> 11) * 0x1p-53;
  return drawn < probability;
}

bool spgc_stress_collects_at_allocation(void) {
  struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_options *options = &runtime->options;
  if (options->stress == SPGC_STRESS_NONE || options->stress == SPGC_STRESS_EVERY_ALLOCATION)
    return options->stress == SPGC_STRESS_EVERY_ALLOCATION;
  uint64_t allocation = __atomic_add_fetch(&runtime->stressed_allocations, 1, __ATOMIC_RELAXED);
  return options->stress == SPGC_STRESS_RANDOM
             ? draws(allocation, options, options->stress_probability)
             : allocation % options->stress_interval == 0;
}

bool spgc_stress_is_born_old(void) {
  struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_options *options = &runtime->options;
  if (options->born != SPGC_BORN_RANDOM)
    return options->born == SPGC_BORN_OLD;
  uint64_t tlab = __atomic_add_fetch(&runtime->stressed_tlabs, 1, __ATOMIC_RELAXED);
  return draws(~(uint64_t)runtime->heap.collection, options, 0.5) && draws(tlab, options, 0.5);
}

bool spgc_stress_collects_at_polls(void) {
  return spgc_runtime.options.stress == SPGC_STRESS_EVERY_ALLOCATION;
}
