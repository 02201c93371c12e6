#include "spgc/allocate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gc/events/events.h"
#include "gc/mutator/misuse.h"
#include "gc/mutator/safepoint.h"
#include "gc/state/runtime.h"
#include "heap/hole.h"
#include "heap/object.h"
#include "spgc/generated.h"
#include "spgc/thread.h"
#include "support/clock.h"
#include "support/log.h"

enum { NO_OBJECT = 0 };

static inline uintptr_t bump(size_t bytes) {
  uintptr_t object = spgc_thread.cursor, limit = spgc_thread.limit;
  if (limit < object || bytes > limit - object)
    return NO_OBJECT;
  __atomic_store_n(&spgc_thread.cursor, object + bytes,
                   __ATOMIC_RELAXED); /* spgc_statistics_read reads it */
  return object;
}

static inline struct spgc_ref initialise(uintptr_t object, const struct spgc_type *type,
                                         uint64_t length, size_t bytes) {
  memset((void *)object, 0, bytes);
  spgc_object_set_header((struct spgc_ref){object}, (uintptr_t)type);
  if ((type->flags & SPGC_TYPE_TAIL) != 0)
    ((uint64_t *)object)[1] = length;
  return (struct spgc_ref){object};
}

/* ---- Stress ---- */

/* Depends on number and seed only, so that a run repeats. */
static bool draws(uint64_t allocation, const struct spgc_options *options, double probability) {
  struct spgc_random random = {options->seed};
  random.state = spgc_random_next(&random) + allocation;
  double drawn = (double)(spgc_random_next(&random) >> 11) * 0x1p-53;
  return drawn < probability;
}

/* Soft limits are 0 under stress (gc/tlab/tlab.h), so each allocation asks. */
static bool stress_collects(void) {
  struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_options *options = &runtime->options;
  if (options->stress == SPGC_STRESS_NONE || options->stress == SPGC_STRESS_EVERY_ALLOCATION)
    return options->stress == SPGC_STRESS_EVERY_ALLOCATION;
  uint64_t allocation = __atomic_add_fetch(&runtime->stressed_allocations, 1, __ATOMIC_RELAXED);
  return options->stress == SPGC_STRESS_RANDOM
             ? draws(allocation, options, options->stress_probability)
             : allocation % options->stress_interval == 0;
}

/* Whether the option `born` makes the next TLAB a hole. At random, half of the times between two
 * collections have none, because after one the nursery is not copied. */
static bool stress_makes_hole(void) {
  struct spgc_runtime *runtime = &spgc_runtime;
  const struct spgc_options *options = &runtime->options;
  if (options->born != SPGC_BORN_RANDOM)
    return options->born == SPGC_BORN_OLD;
  uint64_t tlab = __atomic_add_fetch(&runtime->stressed_tlabs, 1, __ATOMIC_RELAXED);
  return draws(~(uint64_t)runtime->heap.collection, options, 0.5) && draws(tlab, options, 0.5);
}

/* ---- Requests ---- */

struct request {
  struct spgc_mutator *mutator;
  struct spgc_request memory;
  struct spgc_overhead exceeded; /* if `futile` is not 0 */
};

static bool is_to_be_born_old(size_t bytes) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  if (bytes > SPGC_LARGEST_IN_HOLE || runtime->cycle.marker.active)
    return false;
  return runtime->options.born == SPGC_BORN_DEFAULT ? runtime->policy.nursery.makes_born_old
                                                    : stress_makes_hole();
}

static void try_allocate(struct request *request) {
  struct spgc_mutator *mutator = request->mutator;
  request->memory.is_to_be_born_old = is_to_be_born_old(request->memory.bytes);
  request->memory.hook_runs = spgc_mutator_runs_hook(mutator);
  spgc_tlab_serve(&mutator->tlab, &mutator->reserve, &request->memory);
}

static void collect_minor(struct spgc_stopped_world world, struct request *request,
                          enum spgc_reason reason) {
  spgc_collect_stopped(world, SPGC_COLLECTION_MINOR, reason);
  try_allocate(request);
}

/* Before the world resumes, so that no other mutator takes the freed memory. A marking that ends
 * frees memory sooner than a full collection. */
static void collect_and_allocate(struct spgc_stopped_world world, void *context) {
  struct request *request = context;
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_policy *policy = &runtime->policy;
  const struct spgc_cycle *cycle = &runtime->cycle;
  bool tight = spgc_limit_is_tight(&policy->limit, &runtime->heap, policy->nursery.budget_blocks);
  if (!tight || cycle->marker.active || spgc_pacer_room_is_short(policy, &runtime->heap, cycle))
    collect_minor(world, request, request->memory.reason);
  if (request->memory.object == NO_OBJECT && cycle->marker.active &&
      spgc_limit_is_near(&policy->limit, &runtime->heap, policy->nursery.budget_blocks))
    collect_minor(world, request, SPGC_REASON_LIMIT);
  if (request->memory.object == NO_OBJECT) {
    spgc_collect_stopped(world, SPGC_COLLECTION_FULL, SPGC_REASON_LIMIT);
    if (spgc_overhead_is_exceeded(&policy->overhead) && !spgc_mutator_runs_hook(request->mutator)) {
      request->exceeded = policy->overhead; /* a running hook still gets its reserve */
      spgc_overhead_forget(&policy->overhead);
    } else {
      try_allocate(request);
    }
  }
}

static void sample(struct spgc_mutator *mutator, struct spgc_ref object, size_t bytes,
                   const void *return_address) {
  struct spgc_tlab *tlab = &mutator->tlab;
  if (spgc_sampler_count_object(&tlab->sampler, spgc_thread.cursor, bytes)) {
    struct spgc_sample sample = {
        .object = object, .type = spgc_object_type(object), .bytes = bytes};
    spgc_sample_take(sample, mutator->stack_base, return_address);
  }
  spgc_tlab_raise_limit(tlab);
}

/* ---- Memory is exhausted ---- */

SPGC_HOOK(spgc_set_out_of_memory_hook, spgc_out_of_memory_hook, SPGC_LOCK_HOOK)

/* May not return. The handle is above all scopes around the call and below the hook's, so the
 * height shows whether they were left. */
static void report(size_t requested_bytes, uint32_t futile_collections) {
  struct spgc_mutator *self = spgc_mutator_self();
  if (spgc_mutator_runs_hook(self) || !(spgc_hears_out_of_memory() || read_hook().call != NULL))
    return;
  struct spgc_scope scope = spgc_scope_open();
  spgc_handle_make(spgc_ref_null());
  self->reserve.advanced_blocks = 0;
  self->handles.hook_height = self->handles.height;
  SPGC_TELL(out_of_memory, spgc_out_of_memory_event, .thread = self->number,
            .requested_bytes = requested_bytes, .ns = spgc_clock_ns(),
            .futile_collections = futile_collections);
  const struct hook now = read_hook();
  if (now.call != NULL)
    now.call(now.context, requested_bytes);
  spgc_scope_close(scope);
}

/* ---- Calls ---- */

/* Null if memory is exhausted and the hook has returned; `exceeded`, unless NULL, gets the overhead
 * that refused it. */
static struct spgc_ref allocate(const char *call, const void *return_address,
                                const struct spgc_type *type, uint64_t length,
                                struct spgc_overhead *exceeded) {
  struct spgc_mutator *mutator = spgc_caller_of(call);
  spgc_require_type(call, type);
  spgc_require_may_stop(call);
  if (stress_collects())
    spgc_request_collection(SPGC_COLLECTION_MINOR, SPGC_REASON_STRESS);
  else if (spgc_mutator_is_asked_to_stop(mutator))
    spgc_safepoint_stop(mutator);
  struct request request = {.mutator = mutator, .memory.bytes = SIZE_MAX};
  const struct spgc_request *memory = &request.memory;
  if (spgc_type_bytes_for(type, length, &request.memory.bytes) &&
      memory->bytes <= spgc_runtime.options.heap_limit)
    do
      try_allocate(&request);
    while (memory->object == NO_OBJECT && !spgc_safepoint_run(collect_and_allocate, &request));
  /* A step would only lengthen a pause, so the thread assists when the world runs. */
  if (memory->taken_blocks != 0)
    spgc_cycle_assist(&spgc_runtime.cycle, memory->taken_blocks, mutator->number);
  if (memory->object == NO_OBJECT) {
    if (exceeded != NULL)
      *exceeded = request.exceeded;
    report(memory->bytes, request.exceeded.futile);
    return spgc_ref_null();
  }
  struct spgc_ref made = initialise(memory->object, type, length, memory->bytes);
  if (mutator->tlab.sampler.mean != 0)
    sample(mutator, made, memory->bytes, return_address);
  return made;
}

static _Noreturn void exit_without(const struct spgc_type *type, uint64_t length,
                                   const struct spgc_overhead *exceeded) {
  size_t bytes = SIZE_MAX;
  spgc_type_bytes_for(type, length, &bytes);
  const char *name = type->name == NULL ? "unnamed type" : type->name;
  if (exceeded->futile == 0)
    spgc_log_aloud(
        "out of memory: an object of %zu bytes (%s) does not fit a heap limited to %zu bytes",
        bytes, name, spgc_runtime.options.heap_limit);
  else
    spgc_log_aloud("out of memory: an object of %zu bytes (%s) is refused: %s", bytes, name,
                   spgc_overhead_describe(exceeded, &spgc_runtime.policy.limit).words);
  exit(EXIT_FAILURE);
}

struct spgc_ref spgc_allocate_slow(const struct spgc_type *type, uint64_t length) {
  struct spgc_overhead exceeded = {0};
  struct spgc_ref object = allocate(__func__, __builtin_return_address(0), type, length, &exceeded);
  if (spgc_ref_is_null(object))
    exit_without(type, length, &exceeded);
  return object;
}

static inline struct spgc_ref allocate_fast(const char *call, const void *return_address,
                                            const struct spgc_type *type, uint64_t length) {
  size_t bytes;
  spgc_require_type(call, type);
  spgc_require(length == 0 || (type->flags & SPGC_TYPE_TAIL) != 0,
               "%s: the type has no tail; use spgc_allocate", call);
  uintptr_t object = spgc_type_bytes_for(type, length, &bytes) ? bump(bytes) : NO_OBJECT;
  return object != NO_OBJECT ? initialise(object, type, length, bytes)
                             : allocate(call, return_address, type, length, NULL);
}

struct spgc_ref spgc_allocate(const struct spgc_type *type) {
  return allocate_fast(__func__, __builtin_return_address(0), type, 0);
}

struct spgc_ref spgc_allocate_array(const struct spgc_type *type, uint64_t length) {
  return allocate_fast(__func__, __builtin_return_address(0), type, length);
}

uint64_t spgc_object_size(struct spgc_ref object) {
  spgc_caller();
  const char *wrong = spgc_misuse_of_object(object);
  spgc_require_use(wrong == NULL, "%#" PRIxPTR " is not an object: %s", object.word, wrong);
  return spgc_object_bytes(object, spgc_object_type(object));
}

bool spgc_is_heap_reference(struct spgc_ref word) {
  return spgc_heap_contains(&spgc_runtime.heap, word.word);
}
