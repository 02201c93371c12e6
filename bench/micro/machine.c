#include "bench/micro/machine.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/micro/clock.h"
#include "bench/micro/program.h"
#include "bench/micro/samples.h"

enum {
  TURNS = 1500,
  BUFFER_BYTES = 8 << 20, /* more than a core's own caches */
  PIECE_BYTES = 128 << 10,
  PIECES = BUFFER_BYTES / PIECE_BYTES,
  STRIDE = 7,        /* from a copied piece to the next; prime to PIECES */
  TURN_NS = 1200000, /* a little less than most turns */
};

struct copying {
  char *from, *to;
  unsigned pieces; /* copied in a turn */
};

static struct copying copying_new(void) {
  struct copying copying = {malloc(BUFFER_BYTES), malloc(BUFFER_BYTES), 1};
  if (copying.from == NULL || copying.to == NULL)
    micro_fail("no memory");
  memset(copying.from, 1, BUFFER_BYTES);
  memset(copying.to, 1, BUFFER_BYTES);
  return copying;
}

static void copying_free(struct copying *copying) {
  free(copying->from);
  free(copying->to);
}

static double take_turn(const struct copying *copying) {
  double start = elapsed_ns();
  for (unsigned i = 0; i < copying->pieces; i++) {
    size_t at = (size_t)i * STRIDE % PIECES * PIECE_BYTES;
    memcpy(copying->to + at, copying->from + at, PIECE_BYTES);
    __asm__ volatile("" ::: "memory");
  }
  return elapsed_ns() - start;
}

/* Nothing else disturbed the quickest of a few turns. */
static double quickest_turn(const struct copying *copying) {
  enum { TRIES = 8 };
  double quickest = take_turn(copying);
  for (int i = 1; i < TRIES; i++) {
    double taken = take_turn(copying);
    quickest = taken < quickest ? taken : quickest;
  }
  return quickest;
}

static void make_turns_long_enough(struct copying *copying) {
  while (quickest_turn(copying) < TURN_NS)
    copying->pieces += copying->pieces / 8 + 1;
}

static void *accompany(void *ends) {
  struct copying copying = copying_new();
  make_turns_long_enough(&copying);
  while (!__atomic_load_n((bool *)ends, __ATOMIC_RELAXED))
    take_turn(&copying);
  copying_free(&copying);
  return NULL;
}

static void print(int threads, struct samples *turns) {
  double median = samples_median(turns);
  printf("{\"micro\": \"machine\", \"threads\": %d, \"turns\": %d, \"ms\": %.2f, \"p90_ms\": %.2f, "
         "\"p99_ms\": %.2f, "
         "\"longest_ms\": %.2f, \"over_twice\": %d}\n",
         threads, turns->count, median / 1e6, samples_part(turns, 0.9) / 1e6,
         samples_part(turns, 0.99) / 1e6, samples_part(turns, 1) / 1e6,
         samples_over(turns, 2 * median));
  fflush(stdout);
}

static void measure_turns(const struct copying *copying, int threads) {
  struct samples turns = {.count = 0};
  for (int i = 0; i < TURNS; i++)
    samples_add(&turns, take_turn(copying));
  print(threads, &turns);
}

void measure_machine(void) {
  struct copying copying = copying_new();
  make_turns_long_enough(&copying);
  measure_turns(&copying, 1);
  bool ends = false;
  pthread_t other;
  if (pthread_create(&other, NULL, accompany, &ends) != 0)
    micro_fail("no thread");
  measure_turns(&copying, 2);
  __atomic_store_n(&ends, true, __ATOMIC_RELAXED);
  pthread_join(other, NULL);
  copying_free(&copying);
}
