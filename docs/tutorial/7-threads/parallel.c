/* (parallel function list): calls the function with each element of the list, in threads. */
#include "nib.h"

#include <pthread.h>
#include <stdio.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/protect.h"
#include "spgc/thread.h"

enum { MOST_THREADS = 64, STACK_BYTES = 4 << 20 };

struct spgc_ref nib_apply(struct spgc_ref function, struct spgc_ref argument); /* apply.ll */

struct task {
  pthread_t thread;
  struct spgc_handle function, value; /* global ones; the value is the argument first */
  bool has_failed;
};

struct tasks {
  struct task all[MOST_THREADS];
  size_t count;
};

static void *apply(void *argument) {
  struct task *task = argument;
  struct spgc_ref function = spgc_handle_get(task->function);
  spgc_handle_set(task->value, nib_apply(function, spgc_handle_get(task->value)));
  return NULL;
}

static void *start_of_thread(void *argument) {
  struct task *task = argument;
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK) {
    fprintf(stderr, "nib: %s\n", error.message);
    task->has_failed = true;
    return NULL;
  }
  spgc_thread.stack_limit = (uintptr_t)__builtin_frame_address(0) - STACK_BYTES;
  spgc_protect(apply, task, &task->has_failed);
  spgc_thread_detach();
  return NULL;
}

/* Waits, so the collector must not wait for this thread. Touches no object. */
static void *join_all(void *argument) {
  struct tasks *tasks = argument;
  for (size_t i = 0; i < tasks->count; i++)
    pthread_join(tasks->all[i].thread, NULL);
  return NULL;
}

static void release(struct task *task) {
  if (task->function.slot != NULL)
    spgc_global_handle_release(task->function);
  if (task->value.slot != NULL)
    spgc_global_handle_release(task->value);
}

static bool start(struct task *task, struct spgc_ref function, struct spgc_ref argument) {
  *task = (struct task){.function = spgc_global_handle_make(function),
                        .value = spgc_global_handle_make(argument)};
  if (task->function.slot != NULL && task->value.slot != NULL &&
      pthread_create(&task->thread, NULL, start_of_thread, task) == 0)
    return true;
  release(task);
  return false;
}

/* Running threads may ask for a collection, but it waits for this thread, which reaches no
 * safepoint here. So `function` and `list` stay right. */
static bool start_all(struct tasks *tasks, struct spgc_ref function, struct spgc_ref list) {
  while (type_of(list) == &nib_pair) {
    const struct pair *pair = spgc_ref_memory(list);
    if (tasks->count == MOST_THREADS || !start(&tasks->all[tasks->count], function, pair->head))
      return false;
    tasks->count++;
    list = pair->tail;
  }
  return true;
}

static struct spgc_ref list_of_values(struct tasks *tasks) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  for (size_t i = tasks->count; i > 0; i--) {
    struct spgc_ref ref = spgc_allocate(&nib_pair);
    struct pair *pair = spgc_ref_memory(ref);
    spgc_store(spgc_slot_at(&pair->head), spgc_handle_get(tasks->all[i - 1].value));
    spgc_store(spgc_slot_at(&pair->tail), spgc_handle_get(list));
    spgc_handle_set(list, ref);
  }
  struct spgc_ref values = spgc_handle_get(list);
  spgc_scope_close(scope);
  return values;
}

struct spgc_ref nib_parallel(struct spgc_ref function, struct spgc_ref list) {
  struct tasks tasks = {.count = 0};
  bool is_complete = start_all(&tasks, function, list);
  spgc_call_blocking(join_all, &tasks);
  for (size_t i = 0; i < tasks.count; i++)
    is_complete = is_complete && !tasks.all[i].has_failed;
  struct spgc_ref values = list_of_values(&tasks);
  for (size_t i = 0; i < tasks.count; i++)
    release(&tasks.all[i]);
  if (!is_complete)
    nib_wrong("not all threads came to their end", values);
  return values;
}

struct spgc_ref nib_report(void) {
  struct spgc_statistics all;
  spgc_statistics_read(&all);
  fprintf(stderr, "allocated: %.1f MB\n", (double)all.allocated_bytes / 1e6);
  fprintf(stderr, "moved: %.1f MB\n", (double)all.moved_bytes / 1e6);
  fprintf(stderr, "collections: %d, of them full: %d\n", (int)all.collections,
          (int)all.full_collections);
  fprintf(stderr, "longest pause: %.1f ms, longest stop: %.1f ms\n",
          (double)all.longest_pause_ns / 1e6, (double)all.longest_stop_ns / 1e6);
  return spgc_ref_null();
}
