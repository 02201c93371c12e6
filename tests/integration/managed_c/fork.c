/* Generated code forks beside threads that run it. */
#include "spgc/managed.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

enum { THREADS = 2, FORKS = 4, HANG_SECONDS = 100 };

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

static volatile int begun, done;

static struct cell SPGC_MANAGED *__attribute__((noinline)) list_of(long n) {
  struct cell SPGC_MANAGED *list = NULL;
  for (long i = 0; i < n; i++) {
    struct cell SPGC_MANAGED *cell = spgc_allocate(&cell_type);
    cell->next = list;
    cell->number = i;
    list = cell;
  }
  return list;
}

static long __attribute__((noinline)) sum_of(struct cell SPGC_MANAGED *list) {
  long sum = 0;
  for (; list != NULL; list = list->next)
    sum += list->number;
  return sum;
}

static void *allocate(void *context) {
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    _exit(3);
  struct cell SPGC_MANAGED *kept = list_of(10);
  __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
  while (!done)
    if (sum_of(list_of(20)) != 190)
      _exit(4);
  if (sum_of(kept) != 45)
    _exit(5);
  spgc_thread_detach();
  return context;
}

static void *join(void *thread) {
  void *result;
  pthread_join(*(pthread_t *)thread, &result);
  return result;
}

static void *wait_for_threads(void *context) {
  while (begun != THREADS)
    sched_yield();
  return context;
}

static void *wait_for_child(void *child) {
  int status;
  long ended = waitpid(*(pid_t *)child, &status, 0) == *(pid_t *)child && WIFEXITED(status);
  return ended && WEXITSTATUS(status) == 0 ? child : NULL;
}

static long __attribute__((noinline)) sum_in_both(struct cell SPGC_MANAGED *list, long n) {
  struct cell SPGC_MANAGED *other = list_of(5);
  static pid_t child;
  child = fork();
  if (child == 0) {
    alarm(HANG_SECONDS);
    struct cell SPGC_MANAGED *more = list_of(2 * n);
    spgc_collect(SPGC_COLLECTION_FULL);
    bool right =
        sum_of(list) == n * (n - 1) / 2 && sum_of(other) == 10 && sum_of(more) == n * (2 * n - 1);
    _exit(right ? 0 : 1);
  }
  if (spgc_call_blocking(wait_for_child, &child) == NULL)
    return -1;
  return sum_of(list) + sum_of(other) - 10;
}

long managed_run(long n) {
  static pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, allocate, &threads[i]) != 0)
      return -1;
  spgc_call_blocking(wait_for_threads, NULL);
  struct cell SPGC_MANAGED *list = list_of(n);
  long sum = 0;
  for (int i = 0; i < FORKS; i++)
    sum += sum_in_both(list, n);
  done = 1;
  for (int i = 0; i < THREADS; i++)
    if (spgc_call_blocking(join, &threads[i]) != &threads[i])
      return -1;
  return sum;
}
