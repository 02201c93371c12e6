#include "spgc/managed.h"

#include <pthread.h>
#include <sched.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

enum { THREADS = 3 };

struct cell {
  const struct spgc_type *type;
  struct cell SPGC_MANAGED *next;
  long number;
};

static const uint32_t cell_references[] = {SPGC_OFFSET(struct cell, next)};
static const struct spgc_type cell_type = {.size = sizeof(struct cell),
                                           .reference_count = 1,
                                           .reference_offsets = cell_references,
                                           .name = "cell"};

struct worker {
  pthread_t thread;
  long n, sum;
};

static volatile int waiting, released;

static struct cell SPGC_MANAGED *make(struct cell SPGC_MANAGED *next, long number) {
  struct cell SPGC_MANAGED *cell = spgc_allocate(&cell_type);
  cell->next = next;
  cell->number = number;
  return cell;
}

static long __attribute__((noinline)) sum_of_list(long n) {
  struct cell SPGC_MANAGED *list = NULL;
  for (long i = 0; i < n; i++) {
    list = make(list, i);
    make(list, -i);
  }
  long sum = 0;
  for (; list != NULL; list = list->next)
    sum += list->number;
  return sum;
}

/* Keeps an object over a loop that a collection must be able to stop. */
static long __attribute__((noinline)) spin_until_released(struct cell SPGC_MANAGED *kept) {
  long turns = 0;
  __atomic_fetch_add(&waiting, 1, __ATOMIC_SEQ_CST);
  while (!released)
    turns++;
  return turns < 0 ? 0 : kept->number;
}

static void *work(void *context) {
  struct worker *worker = context;
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return NULL;
  long kept = spin_until_released(make(NULL, 1));
  worker->sum = kept * sum_of_list(worker->n);
  spgc_thread_detach();
  return worker;
}

static void *join(void *worker) {
  void *result;
  pthread_join(((struct worker *)worker)->thread, &result);
  return result;
}

/* Uses no references, so it is not polled. */
static void *wait_for_workers(void *context) {
  while (waiting != THREADS)
    sched_yield();
  return context;
}

long managed_run(long n) {
  static struct worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i].n = n;
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
      return -1;
  }
  spgc_call_blocking(wait_for_workers, NULL);
  long sum = sum_of_list(n);
  spgc_collect(SPGC_COLLECTION_FULL);
  released = 1;
  for (int i = 0; i < THREADS; i++)
    sum = spgc_call_blocking(join, &workers[i]) == &workers[i] ? sum + workers[i].sum : -1;
  return sum;
}
