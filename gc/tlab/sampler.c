#include "gc/tlab/sampler.h"

#include "heap/geometry.h"
#include "support/cancellation.h"
#include "support/exponential.h"

enum { OWN_CALLS = 8 }; /* innermost, of the library */

/* Written while no thread is attached, or with the world stopped. */
static struct {
  uint64_t mean, seed;
  spgc_sample_taker *take;
  uint64_t begun; /* since the seed was set; under the world's lock */
} samplers;

void spgc_samplers_seed(uint64_t seed) {
  samplers.seed = seed;
  samplers.begun = 0;
}

void spgc_samplers_begin(uint64_t mean, spgc_sample_taker *take) {
  samplers.mean = mean;
  samplers.take = take;
}

static void draw_point(struct spgc_sampler *sampler, uintptr_t cursor) {
  uint64_t gap = sampler->mean == 1 ? 0 : spgc_exponential_gap(&sampler->random, sampler->mean);
  sampler->point = gap < UINTPTR_MAX - cursor ? cursor + gap : UINTPTR_MAX;
}

/* Sequences depend on the seed and the order in which threads attach. */
void spgc_sampler_begin(struct spgc_sampler *sampler) {
  struct spgc_random seeds = {samplers.seed + samplers.begun++};
  *sampler = (struct spgc_sampler){
      .mean = samplers.mean, .random = {spgc_random_next(&seeds)}, .point = UINTPTR_MAX};
  if (sampler->mean != 0)
    draw_point(sampler, 0);
}

struct capture {
  struct spgc_sample sample;
  const void *return_address;
};

/* Omits the library's own calls, if `return_address` is found. */
static void *take_sample(const struct spgc_suspended_stack *stack, void *context) {
  struct capture *capture = context;
  struct spgc_call calls[SPGC_SAMPLE_CALLS];
  size_t count = spgc_backtrace(stack, calls, SPGC_SAMPLE_CALLS), own = 0;
  while (own < count && own < OWN_CALLS &&
         calls[own].instruction != (uintptr_t)capture->return_address - 1)
    own++;
  if (own == count || own == OWN_CALLS)
    own = 0;
  capture->sample.calls = calls + own;
  capture->sample.call_count = count - own;
  samplers.take(&capture->sample);
  return NULL;
}

/* A small object ends at the cursor; a large one counts as if it began there. */
bool spgc_sampler_count_object(struct spgc_sampler *sampler, uintptr_t cursor, size_t bytes) {
  bool is_small = bytes <= SPGC_LARGEST_SMALL;
  bool has_point = is_small ? cursor > sampler->point : bytes > sampler->point - cursor;
  if (has_point)
    draw_point(sampler, cursor);
  else if (!is_small)
    sampler->point -= bytes;
  return has_point;
}

void spgc_sample_take(struct spgc_sample sample, void *stack_base, const void *return_address) {
  SPGC_UNCANCELLED;
  struct capture capture = {.sample = sample, .return_address = return_address};
  spgc_stack_suspend(stack_base, take_sample, &capture);
}
