#include "gc/mutator/sampler.h"

#include "gc/mutator/world.h"
#include "heap/geometry.h"
#include "support/cancellation.h"
#include "support/exponential.h"
#include "support/min_max.h"

enum { OWN_CALLS = 8 }; /* the library's own calls are among the innermost so many */

/* Written while no thread is attached, or with the world stopped. */
static struct {
  uint64_t mean, seed;
  spgc_sample_taker *take;
  uint64_t begun; /* samplers, since the seed was set; under the world's lock, too */
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

/* Threads have different sequences, which depend on the seed and on the order in which they
 * attach. */
void spgc_sampler_begin(struct spgc_sampler *sampler) {
  struct spgc_random seeds = {samplers.seed + samplers.begun++};
  *sampler = (struct spgc_sampler){
      .mean = samplers.mean, .random = {spgc_random_next(&seeds)}, .point = UINTPTR_MAX};
  if (sampler->mean != 0)
    draw_point(sampler, 0);
}

/* The cursor is 0 without a TLAB. The limit is only lowered, because it is 0 in blocking regions.
 */
static void change(struct spgc_mutator *mutator) {
  struct spgc_sampler *sampler = &mutator->sampler;
  spgc_sampler_begin(sampler);
  spgc_sampler_enter_tlab(sampler, mutator->thread->cursor);
  mutator->thread->limit = spgc_min(mutator->thread->limit, sampler->point);
}

void spgc_samplers_change(struct spgc_stopped_world world) {
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    change(mutator);
}

struct capture {
  struct spgc_sample sample;
  const void *return_address;
};

/* Leaves out the library's own calls, if the address that it returns to is found. */
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

/* A small object lies right below the cursor. A large one lies elsewhere, as if it began there. */
static bool has_point(struct spgc_sampler *sampler, uintptr_t cursor, size_t bytes) {
  if (bytes <= SPGC_LARGEST_SMALL)
    return cursor > sampler->point;
  if (bytes > sampler->point - cursor)
    return true;
  sampler->point -= bytes;
  return false;
}

void spgc_sampler_count_object(struct spgc_mutator *mutator, struct spgc_ref object,
                               const struct spgc_type *type, size_t bytes,
                               const void *return_address) {
  uintptr_t cursor = mutator->thread->cursor;
  if (has_point(&mutator->sampler, cursor, bytes)) {
    SPGC_UNCANCELLED;
    struct capture capture = {.sample = {.object = object, .type = type, .bytes = bytes},
                              .return_address = return_address};
    draw_point(&mutator->sampler, cursor);
    spgc_stack_suspend(mutator->stack_base, take_sample, &capture);
  }
  spgc_mutator_raise_soft_limit(mutator);
}
