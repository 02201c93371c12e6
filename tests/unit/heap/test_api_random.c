/* Random calls of the whole run-time API by 2 to 16 threads, each with a model (api_random.c).
 *
 * SPGC_TEST_SEED sets the first cycle's seed, which each failure prints; SPGC_API_CYCLES the
 * cycles, SPGC_API_STEPS a life's steps, SPGC_TEST_MUTATORS the threads. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_random.h"
#include "check_main.h"
#include "spgc/finalizer.h"

enum { MOST_THREADS = 16, LIVES_OF_THREAD = 4 };

static struct {
  uint64_t moved, minor, full, cancelled, refused, hooks;
} totals;

static struct spgc_options options_of(struct random *random, uint64_t threads) {
  static const uint32_t pauses[] = {0, 0, 50, 1000};
  static const enum spgc_concurrent concurrent[] = {SPGC_CONCURRENT_DEFAULT, SPGC_CONCURRENT_OFF,
                                                    SPGC_CONCURRENT_ON};
  struct spgc_options options;
  spgc_options_default(&options);
  options.heap_limit = (size_t)(3 + threads + random_below(random, 16)) << 20;
  options.nursery_size =
      random_below(random, 3) == 0 ? 0 : (size_t)(32 << random_below(random, 5)) << 10;
  options.pause_us = pauses[random_below(random, 4)];
  options.concurrent = concurrent[random_below(random, 3)];
  options.threads = (uint32_t)random_below(random, 5);
  options.poison = random_below(random, 3) == 0;
  options.seed = 1 + random_below(random, 1 << 30);
  const char *environment = getenv("SPGC_OPTIONS"); /* spgc_start applies it */
  if (environment != NULL)
    spgc_options_parse(&options, environment, NULL);
  return options;
}

static void attach_at(void *base) {
  struct spgc_error error;
  enum spgc_result result = spgc_thread_attach(base, &error);
  if (result != SPGC_OK)
    ck_abort_msg("%s (SPGC_TEST_SEED=%" PRIu64 ")", error.message, api_cycle.seed);
}

static void *exit_thread(void *life) {
  pthread_exit(life);
}

static void *live(void *context) {
  struct api_life *life = context;
  enum spgc_result result = spgc_thread_attach(__builtin_frame_address(0), NULL);
  if (result != SPGC_OK) { /* other threads have all the memory */
    life->refused = true;
    return life;
  }
  api_life_begin(life);
  api_life_run(life);
  if (life->ending == API_EXITS)
    exit_thread(life);
  if (life->ending == API_EXITS_BLOCKING)
    spgc_call_blocking(exit_thread, life);
  if (life->ending == API_DETACHES) {
    api_life_settle(life);
    api_life_release_fibers(life);
    spgc_thread_detach();
  }
  return life;
}

static struct api_life *begin_life(struct random *random, uint64_t index) {
  struct api_life *life = calloc(1, sizeof *life);
  ck_assert_ptr_nonnull(life);
  life->index = index + 1;
  life->random.state = random_next(random) | 1;
  life->ending = (enum api_ending)random_below(random, API_ENDINGS);
  life->steps = world_number("SPGC_API_STEPS", world_amount(1000, 100, 60));
  if (life->ending == API_IS_CANCELLED)
    life->steps *= 4;
  ck_assert_int_eq(pthread_create(&life->thread, NULL, live, life), 0);
  return life;
}

static void await_end(struct api_life *life) {
  void *result;
  pthread_kill(life->thread, SIGUSR1);
  if (life->ending == API_IS_CANCELLED)
    ck_assert_int_eq(pthread_cancel(life->thread), 0);
  ck_assert_int_eq(pthread_join(life->thread, &result), 0);
  ck_assert(result == life || (life->ending == API_IS_CANCELLED && result == PTHREAD_CANCELED));
  totals.cancelled += result == PTHREAD_CANCELED;
  totals.refused += life->refused;
  totals.hooks += life->hooks;
}

/* `threads` are alive at once. */
static void run_lives(struct random *random, uint64_t threads, struct api_life **lives,
                      uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    if (i >= threads)
      await_end(lives[i - threads]);
    lives[i] = begin_life(random, i);
  }
  for (uint64_t i = count - threads; i < count; i++)
    await_end(lives[i]);
}

static void check_is_new(void) {
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_eq(statistics.allocated_bytes, 0);
  ck_assert_uint_eq(statistics.collections, 0);
  ck_assert_uint_eq(statistics.heap_bytes, 0);
  ck_assert_uint_eq(statistics.longest_pause_ns + statistics.longest_stop_ns, 0);
  ck_assert_uint_eq(spgc_finalizers_waiting(), 0);
  ck_assert_uint_eq(spgc_types_live(NULL, (void *)UINTPTR_MAX), 0);
}

static void start(struct random *random, uint64_t threads, uint64_t seed) {
  struct spgc_options options = options_of(random, threads);
  struct spgc_error error;
  enum spgc_result result = spgc_start(&options, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  attach_at(__builtin_frame_address(0));
  check_is_new();
  api_cycle_begin(seed, options.heap_limit);
  spgc_thread_detach();
}

static void stop(void) {
  struct spgc_statistics statistics = world_statistics();
  totals.moved += statistics.moved_objects;
  totals.minor += statistics.minor_collections;
  totals.full += statistics.final_marks + statistics.full_collections;
  world_verify();
  spgc_thread_detach();
  spgc_stop();
  ck_assert(spgc_ref_is_null(spgc_handle_get(api_cycle.exchange)));
  spgc_global_handle_release(api_cycle.exchange);
}

static void run_cycle(uint64_t seed) {
  struct random random = {seed * 2 + 1};
  uint64_t threads =
      world_number("SPGC_TEST_MUTATORS", 2 + random_below(&random, MOST_THREADS - 1));
  uint64_t count = threads * LIVES_OF_THREAD;
  struct api_life **lives = calloc(count, sizeof(struct api_life *));
  ck_assert_ptr_nonnull(lives);
  start(&random, threads, seed);
  run_lives(&random, threads, lives, count);
  attach_at(__builtin_frame_address(0));
  for (uint64_t i = 0; i < count; i++) {
    api_life_settle(lives[i]);
    free(lives[i]);
  }
  free(lives);
  api_cycle_end();
  stop();
}

static void request(int number) {
  spgc_thread_interrupt();
}

static void print_totals(void) {
  printf("%" PRIu64 " objects moved, %" PRIu64 " minor collections, %" PRIu64
         " of the old space; %" PRIu64 " lives cancelled, %" PRIu64
         " refused, out of memory %" PRIu64 " times\n",
         totals.moved, totals.minor, totals.full, totals.cancelled, totals.refused, totals.hooks);
  for (size_t kind = 0; kind < api_step_kinds; kind++)
    printf("%s%s %lu", kind == 0 ? "" : ", ", api_step_name(kind), atomic_load(&api_taken[kind]));
  printf("\n");
}

START_TEST(random_calls_agree_with_the_models) {
  uint64_t cycles = world_number("SPGC_API_CYCLES", world_amount(3, 2, 2)),
           seed = random_start("heap-api-random").state;
  struct sigaction action = {.sa_handler = request, .sa_flags = SA_RESTART};
  ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
  spgc_set_out_of_memory_hook(api_out_of_memory, NULL);
  spgc_set_interrupt_hook(api_interrupted, NULL);
  for (uint64_t cycle = 0; cycle < cycles; cycle++)
    run_cycle(seed / 2 + cycle);
  print_totals();
  ck_assert_uint_gt(totals.moved, 0);
  ck_assert_uint_gt(totals.full, 0);
}
END_TEST

CHECK_MAIN_WITHIN(1700, "heap-api-random", random_calls_agree_with_the_models)
