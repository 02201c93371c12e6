#include "tools/heap/run.h"

#include <stdlib.h>
#include <string.h>

#include "tools/heap/memory.h"

const char *const run_kind_names[RUN_KINDS] = {"minor", "final mark", "partial final mark", "full",
                                               "in-place full"};
const char *const run_part_names[RUN_PARTS] = {"stop",  "hold",  "prepare", "promote",
                                               "roots", "cards", "copy",    "weak",
                                               "free",  "mark",  "policy",  "verify"};
const uint32_t run_window_ms[RUN_WINDOWS] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

static bool is_name(const char *name, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (name[i] != text[i] && !(name[i] == ' ' && text[i] == '-'))
      return false;
  return name[length] == '\0';
}

static int find_name(const char *const *names, int count, const char *text, size_t length) {
  for (int i = 0; i < count; i++)
    if (strlen(names[i]) == length && is_name(names[i], text, length))
      return i;
  return -1;
}

int run_kind_named(const char *name, size_t length) {
  return find_name(run_kind_names, RUN_KINDS, name, length);
}

int run_part_named(const char *name, size_t length) {
  return find_name(run_part_names, RUN_PARTS, name, length);
}

void run_add(struct run *run, const struct run_pause *pause) {
  if (run->count == run->capacity) {
    run->capacity = memory_growth(run->count);
    run->pauses = memory_resized(run->pauses, run->capacity, sizeof *run->pauses);
  }
  run->pauses[run->count++] = *pause;
  run_reach(run, pause->end_ns);
}

void run_reach(struct run *run, uint64_t ns) {
  if (ns > run->ns)
    run->ns = ns;
}

static int by_begin(const void *left, const void *right) {
  const struct run_pause *one = left, *other = right;
  return (one->begin_ns > other->begin_ns) - (one->begin_ns < other->begin_ns);
}

static int by_number(const void *left, const void *right) {
  const uint64_t *one = left, *other = right;
  return (*one > *other) - (*one < *other);
}

/* A log's times are rounded, so pauses may seem to overlap. */
static void order(struct run *run) {
  qsort(run->pauses, run->count, sizeof *run->pauses, by_begin);
  for (size_t i = 1; i < run->count; i++) {
    struct run_pause *pause = &run->pauses[i];
    uint64_t before = run->pauses[i - 1].end_ns;
    if (pause->begin_ns < before)
      pause->begin_ns = before;
    if (pause->end_ns < pause->begin_ns)
      pause->end_ns = pause->begin_ns;
  }
}

static uint64_t most(uint64_t one, uint64_t other) {
  return one > other ? one : other;
}

static unsigned bucket_of(uint64_t ns) {
  unsigned bucket = 0;
  while (bucket < RUN_BUCKETS - 1 && ns >= UINT64_C(1000) << bucket)
    bucket++;
  return bucket;
}

static void count(struct run *run) {
  for (size_t i = 0; i < run->count; i++) {
    const struct run_pause *pause = &run->pauses[i];
    run->kinds[pause->kind]++;
    run->sum_ns += pause->pause_ns;
    run->longest_stop_ns = most(run->longest_stop_ns, pause->stop_ns);
    run->peak = most(run->peak, most(pause->before, pause->after));
    run->buckets[bucket_of(pause->pause_ns)]++;
  }
}

/* Nearest rank: the least pause not exceeded by this percentage of them. */
static uint64_t quantile(const uint64_t *sorted, size_t count, unsigned percent) {
  size_t rank = (count * percent + 99) / 100;
  return rank == 0 ? 0 : sorted[rank - 1];
}

static void find_quantiles(struct run *run) {
  uint64_t *sorted = memory_array(run->count, sizeof *sorted);
  for (size_t i = 0; i < run->count; i++)
    sorted[i] = run->pauses[i].pause_ns;
  qsort(sorted, run->count, sizeof *sorted, by_number);
  run->p50_ns = quantile(sorted, run->count, 50);
  run->p90_ns = quantile(sorted, run->count, 90);
  run->p99_ns = quantile(sorted, run->count, 99);
  run->longest_ns = quantile(sorted, run->count, 100);
  free(sorted);
}

/* before[i] is the sum of the pauses before number i. */
struct stopped {
  const struct run *run;
  uint64_t *before;
};

/* `*next` is a pause that had not ended at an earlier time. */
static uint64_t stopped_until(const struct stopped *stopped, uint64_t ns, size_t *next) {
  const struct run *run = stopped->run;
  while (*next < run->count && run->pauses[*next].end_ns <= ns)
    ++*next;
  uint64_t sum = stopped->before[*next];
  if (*next < run->count && run->pauses[*next].begin_ns < ns)
    sum += ns - run->pauses[*next].begin_ns;
  return sum;
}

/* The worst window begins where a pause begins, or ends where one ends. */
static uint64_t worst_window(const struct stopped *stopped, uint64_t window) {
  const struct run *run = stopped->run;
  uint64_t worst = 0;
  size_t from = 0, to = 0;
  for (size_t i = 0; i < run->count; i++) {
    uint64_t end = run->pauses[i].begin_ns + window;
    worst = most(worst,
                 stopped_until(stopped, end < run->ns ? end : run->ns, &to) - stopped->before[i]);
    uint64_t last = run->pauses[i].end_ns;
    if (last >= window)
      worst = most(worst, stopped->before[i + 1] - stopped_until(stopped, last - window, &from));
  }
  return worst < window ? worst : window;
}

static void find_utilisation(struct run *run) {
  struct stopped stopped = {run, memory_zeroed(run->count + 1, sizeof *stopped.before)};
  for (size_t i = 0; i < run->count; i++)
    stopped.before[i + 1] = stopped.before[i] + run->pauses[i].end_ns - run->pauses[i].begin_ns;
  for (int i = 0; i < RUN_WINDOWS; i++) {
    uint64_t window = run_window_ms[i] * UINT64_C(1000000);
    run->utilisation[i] =
        window > run->ns ? -1 : 1 - (double)worst_window(&stopped, window) / (double)window;
  }
  free(stopped.before);
}

void run_finish(struct run *run) {
  order(run);
  count(run);
  find_quantiles(run);
  find_utilisation(run);
}

void run_free(struct run *run) {
  free(run->pauses);
}
