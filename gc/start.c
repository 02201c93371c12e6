#include "gc/start.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "gc/events/events.h"
#include "gc/mutator/handles.h"
#include "gc/mutator/world.h"
#include "gc/naming/code_line.h"
#include "gc/naming/placed_line.h"
#include "gc/policy/machine.h"
#include "gc/policy/without.h"
#include "gc/roots/modules.h"
#include "gc/roots/roots.h"
#include "gc/state/runtime.h"
#include "gc/state/stops.h"
#include "gc/weak/weak_processing.h"
#include "observe/log/log_events.h"
#include "observe/profile/profile.h"
#include "observe/signal_request.h"
#include "observe/snapshot/snapshot.h"
#include "observe/timeline/trace.h"
#include "spgc/main.h"
#include "support/cancellation.h"
#include "support/clock.h"
#include "support/fatal.h"
#include "support/log.h"
#include "support/sized.h"

static enum spgc_result check_stress(const struct spgc_options *options, struct spgc_error *error) {
  double probability = options->stress_probability;
  if (options->stress == SPGC_STRESS_EVERY_NTH_ALLOCATION && options->stress_interval == 0)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_start: stress_interval is 0; it must be at least 1");
  if (options->stress == SPGC_STRESS_RANDOM && !(probability > 0 && probability <= 1))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_start: stress_probability is %g; it must be above 0 and at most 1",
                          probability);
  return SPGC_OK;
}

static enum spgc_result check_signal(const char *option, int signal, const char *file,
                                     struct spgc_error *error) {
  if (signal == 0)
    return SPGC_OK;
  if (file == NULL || !spgc_signal_can_ask(signal))
    return spgc_error_set(
        error, SPGC_ERROR_INVALID_ARGUMENT, 0, "spgc_start: %s_signal is %d, %s", option, signal,
        file == NULL ? "and no file is named" : "which cannot be caught, or means a fault");
  if (spgc_signal_has_handler(signal))
    return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                          "spgc_start: the option %s asks for SIG%s, but the program has a handler "
                          "for it: choose another signal",
                          option, sigabbrev_np(signal));
  return SPGC_OK;
}

static enum spgc_result check_signals(const struct spgc_options *options,
                                      struct spgc_error *error) {
  if (options->snapshot_signal != 0 && options->snapshot_signal == options->profile_signal)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_start: snapshot and profile ask for the same signal, %d",
                          options->profile_signal);
  enum spgc_result result =
      check_signal("snapshot", options->snapshot_signal, options->snapshot, error);
  return result == SPGC_OK
             ? check_signal("profile", options->profile_signal, options->profile, error)
             : result;
}

static enum spgc_result check_options(const struct spgc_options *options,
                                      struct spgc_error *error) {
  enum spgc_result result = spgc_options_check_ranges(options, error);
  if (result != SPGC_OK)
    return result;
  if (options->heap_limit != 0 && options->nursery_size > options->heap_limit)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_start: a nursery of %zu bytes is above the heap limit, %zu",
                          options->nursery_size, options->heap_limit);
  if (options->stress > SPGC_STRESS_RANDOM || options->verify > SPGC_VERIFY_FULL ||
      options->move > SPGC_MOVE_ALWAYS || options->walk > SPGC_WALK_DIFFERENTIAL ||
      options->concurrent > SPGC_CONCURRENT_ON || options->log > SPGC_LOG_ALL ||
      options->born > SPGC_BORN_RANDOM || options->compact > SPGC_COMPACT_ALWAYS ||
      options->without >= SPGC_WITHOUT_END)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_start: stress, verify, move, walk, concurrent, born, compact, log "
                          "or without is not one of its constants; begin with "
                          "spgc_options_default");
  if (options->profile_bytes > SPGC_GREATEST_PROFILE_BYTES)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_start: profile_bytes is %zu; it must be at most 1 GiB",
                          options->profile_bytes);
  result = check_stress(options, error);
  return result == SPGC_OK ? check_signals(options, error) : result;
}

static enum spgc_result resolve_options(struct spgc_options *resolved,
                                        const struct spgc_options *given,
                                        struct spgc_error *error) {
  spgc_options_default(resolved);
  enum spgc_result result = SPGC_OK;
  if (given != NULL)
    result = spgc_sized_read(resolved, sizeof *resolved, given, "spgc_start", error);
  if (result == SPGC_OK)
    result = spgc_options_read_environment(resolved, error);
  return result == SPGC_OK ? check_options(resolved, error) : result;
}

static bool create_heap_of(struct spgc_runtime *runtime, size_t heap_limit, size_t most_bytes) {
  const struct spgc_options *options = &runtime->options;
  bool has_thread =
      options->concurrent == SPGC_CONCURRENT_DEFAULT
          ? options->stress == SPGC_STRESS_NONE && options->seed == 0 && spgc_processors() > 1
          : options->concurrent == SPGC_CONCURRENT_ON;
  if (!spgc_heap_create(&runtime->heap, heap_limit, most_bytes, options->poison))
    return false;
  if (spgc_cycle_create(&runtime->cycle, &runtime->heap, spgc_pacer_pace(),
                        &spgc_locks[SPGC_LOCK_HEAP], has_thread))
    return true;
  spgc_heap_destroy(&runtime->heap);
  return false;
}

/* A default limit is halved until the system grants the address space. The heap takes at most half
 * of what RLIMIT_AS leaves. */
static enum spgc_result create_heap(struct spgc_runtime *runtime, struct spgc_limit_choice *limit,
                                    struct spgc_error *error) {
  bool chosen = runtime->options.heap_limit == 0;
  size_t most_bytes = spgc_half_of_address_space();
  *limit = chosen ? spgc_limit_default()
                  : (struct spgc_limit_choice){runtime->options.heap_limit, "the option limit"};
  while (!create_heap_of(runtime, limit->bytes, most_bytes)) {
    size_t refused = limit->bytes;
    limit->bytes /= 2;
    strcpy(limit->origin, "halved until the system granted the address space");
    if (chosen && limit->bytes >= SPGC_LEAST_LIMIT)
      continue;
    if (most_bytes != SIZE_MAX)
      return spgc_error_set(
          error, SPGC_ERROR_NO_MEMORY, 0,
          "a heap of %zu bytes and its tables do not fit %zu bytes of address space, "
          "half of what RLIMIT_AS leaves: twice the limit is reserved",
          refused, most_bytes);
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "the system refuses address space for a heap of %zu bytes", refused);
  }
  runtime->options.heap_limit = limit->bytes;
  return SPGC_OK;
}

/* One under stress or move=always, so that a run repeats. */
static void choose_threads(struct spgc_options *options) {
  enum { MOST_CHOSEN = 4 };
  if (options->threads != 0)
    return;
  uint32_t processors = spgc_processors();
  options->threads = processors < MOST_CHOSEN ? processors : MOST_CHOSEN;
  if (options->stress != SPGC_STRESS_NONE || options->move != SPGC_MOVE_DEFAULT)
    options->threads = 1;
}

/* Under stress and move=always, workers take part even with little to do. */
static void start_workers(struct spgc_runtime *runtime) {
  const struct spgc_options *options = &runtime->options;
  spgc_worker_pool_create(&runtime->pool, options->threads - 1);
  runtime->parallelism = (struct spgc_parallelism){&runtime->pool, options->threads - 1,
                                                   options->stress != SPGC_STRESS_NONE ||
                                                       options->move == SPGC_MOVE_ALWAYS};
}

static void choose_seed(struct spgc_runtime *runtime) {
  struct spgc_options *options = &runtime->options;
  if (options->seed == 0) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    options->seed = ((uint64_t)now.tv_sec * UINT64_C(1000000007) ^ (uint64_t)now.tv_nsec) | 1;
    if (options->log >= SPGC_LOG_GC || options->move == SPGC_MOVE_ALWAYS ||
        options->stress == SPGC_STRESS_RANDOM || options->born == SPGC_BORN_RANDOM)
      spgc_log("seed %" PRIu64, options->seed);
  }
  runtime->random.state = options->seed;
}

static enum spgc_result check_stopped(struct spgc_error *error) {
  return spgc_runtime.started
             ? spgc_error_set(error, SPGC_ERROR_STATE, 0, "spgc_start: the heap is started already")
             : SPGC_OK;
}

/* Takes no lock, or must not hold one (gc/mutator/world.h). */
static enum spgc_result prepare(const struct spgc_options *given, struct spgc_options *options,
                                struct spgc_error *error) {
  spgc_lock(SPGC_LOCK_WORLD);
  enum spgc_result result = check_stopped(error);
  spgc_unlock(SPGC_LOCK_WORLD);
  if (result == SPGC_OK)
    result = resolve_options(options, given, error);
  if (result != SPGC_OK)
    return result;
  return spgc_fork_register_handlers()
             ? SPGC_OK
             : spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                              "cannot register fork handlers: out of memory");
}

static enum spgc_result start_locked(const struct spgc_options *options, struct spgc_error *error) {
  struct spgc_runtime *runtime = &spgc_runtime;
  enum spgc_result result = check_stopped(error);
  if (result != SPGC_OK)
    return result;
  enum { KEPT = offsetof(struct spgc_runtime, started_ns) };
  memset((char *)runtime + KEPT, 0, sizeof *runtime - KEPT);
  runtime->options = *options;
  struct spgc_limit_choice limit;
  result = create_heap(runtime, &limit, error);
  if (result != SPGC_OK)
    return result;
  spgc_log_begin(runtime->options.log_file);
  if (runtime->options.log != SPGC_LOG_NONE)
    spgc_log("limit: %zu KiB, %s", limit.bytes / 1024, limit.origin);
  runtime->check.heap = &runtime->heap;
  spgc_policy_start(&runtime->policy, &runtime->options);
  choose_threads(&runtime->options);
  start_workers(runtime);
  choose_seed(runtime);
  spgc_walk_select(runtime->options.walk);
  spgc_fault_start();
  spgc_profile_option_begin(&runtime->options);
  spgc_stops_begin();
  runtime->started_ns = spgc_clock_ns();
  runtime->started = true;
  spgc_summary_begin();
  if (runtime->options.log >= SPGC_LOG_GC)
    spgc_listener_link(&spgc_log_of_collections);
  if (runtime->options.log >= SPGC_LOG_ALL)
    spgc_listener_link(&spgc_log_of_others);
  if (runtime->options.trace != NULL && spgc_trace_start(runtime->options.trace))
    spgc_listener_link(&spgc_trace_listener);
  return SPGC_OK;
}

enum spgc_result spgc_start(const struct spgc_options *options, struct spgc_error *error) {
  SPGC_UNCANCELLED;
  struct spgc_options resolved;
  enum spgc_result result = prepare(options, &resolved, error);
  if (result != SPGC_OK)
    return result;
  spgc_early_modules_register();
  spgc_lock(SPGC_LOCK_WORLD);
  result = start_locked(&resolved, error);
  bool names_lines =
      result == SPGC_OK && (spgc_runtime.options.log >= SPGC_LOG_GC || spgc_profile_is_on());
  spgc_unlock(SPGC_LOCK_WORLD);
  if (names_lines)
    spgc_code_lines_load();
  if (result == SPGC_OK) {
    spgc_snapshot_option_begin();
    spgc_profile_signal_begin();
  }
  return result;
}

/* The next heap may be at the same address. */
static void clear_reference(void *context, struct spgc_slot slot, const char *what) {
  if (spgc_heap_contains(context, slot.location->word))
    *slot.location = spgc_ref_null();
}

static void stop_locked(struct spgc_runtime *runtime, struct spgc_profile_capture *profile) {
  spgc_fault_stop();
  spgc_summary_end();
  spgc_global_handles_visit(SPGC_ALL_ROOTS, clear_reference, &runtime->heap);
  spgc_global_handles_trim();
  spgc_modules_visit(SPGC_NULLS_SKIPPED, clear_reference, &runtime->heap);
  spgc_ranges_visit(SPGC_NULLS_SKIPPED, clear_reference, &runtime->heap);
  spgc_profile_option_end(profile);
  spgc_weak_processing_stop();
  spgc_worker_pool_destroy(&runtime->pool);
  spgc_check_destroy(&runtime->check);
  spgc_cycle_destroy(&runtime->cycle);
  spgc_heap_destroy(&runtime->heap);
  if (spgc_listener_unlink(&spgc_trace_listener))
    spgc_trace_stop();
  spgc_listener_unlink(&spgc_log_of_collections);
  spgc_listener_unlink(&spgc_log_of_others);
  runtime->started = false;
}

/* Whether there is a heap to stop; then the world is stopped. It is locked, and a handler of
 * pthread_atfork may have stopped it before. */
static bool begin_to_stop(bool forks) {
  if (!forks && spgc_mutator_attached == NULL)
    spgc_world_wait(); /* a thread that is not attached may have stopped it */
  if (!spgc_runtime.started)
    return false;
  spgc_require(spgc_world_population() == 0,
               "spgc_stop: threads are attached: %zu; they must detach first",
               spgc_world_population());
  if (!forks)
    spgc_world_stop_empty();
  return true;
}

/* The cycle's thread ends before the last locks are taken: it may run a listener's function, which
 * may take them. */
void spgc_stop(void) {
  SPGC_UNCANCELLED;
  struct spgc_profile_capture profile = {.is_taken = false};
  spgc_placed_lines_finish();
  spgc_snapshot_option_end();
  spgc_profile_signal_end();
  bool forks = spgc_world_is_stopped_here();
  spgc_lock(SPGC_LOCK_WORLD);
  bool stops = begin_to_stop(forks);
  spgc_unlock(SPGC_LOCK_WORLD);
  if (!stops)
    return;
  spgc_cycle_end_thread(&spgc_runtime.cycle);
  spgc_lock(SPGC_LOCK_WORLD);
  stop_locked(&spgc_runtime, &profile);
  if (!forks)
    spgc_world_resume_empty();
  spgc_unlock(SPGC_LOCK_WORLD);
  spgc_profile_finish(&profile);
}

/* ---- All in one call ---- */

/* Runs also when the frame is unwound. */
static void finish(const char *unused) {
  spgc_thread_detach();
  spgc_stop();
}

static void run(void (*function)(void *argument), void *argument) {
  __attribute__((cleanup(finish))) const char unused = 0;
  function(argument);
}

enum spgc_result spgc_main(const struct spgc_options *options, void (*function)(void *argument),
                           void *argument, struct spgc_error *error) {
  if (function == NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0, "spgc_main: no function is given");
  enum spgc_result result = spgc_start(options, error);
  if (result != SPGC_OK)
    return result;
  result = spgc_thread_attach(__builtin_frame_address(0), error);
  if (result == SPGC_OK)
    run(function, argument);
  else
    spgc_stop();
  return result;
}
