#include "gc/trace/cycle_thread.h"

#include "support/collector_thread.h"
#include "support/fatal.h"

void spgc_cycle_thread_create(struct spgc_cycle_thread *thread, bool wanted,
                              struct spgc_cycle_work work) {
  *thread = (struct spgc_cycle_thread){.work = work, .wanted = wanted};
  pthread_mutex_init(&thread->lock, NULL);
  pthread_cond_init(&thread->may_go_on, NULL);
}

static void *run(void *context) {
  struct spgc_cycle_thread *thread = context;
  const struct spgc_cycle_work *work = &thread->work;
  spgc_is_collector_thread = true;
  pthread_mutex_lock(&thread->lock);
  while (!thread->ends) {
    if (work->has_steps(work->context) &&
        atomic_load_explicit(&thread->claims, memory_order_relaxed) == 0)
      work->take_step(work->context);
    else
      pthread_cond_wait(&thread->may_go_on, &thread->lock);
  }
  pthread_mutex_unlock(&thread->lock);
  return NULL;
}

static bool start(struct spgc_cycle_thread *thread) {
  return spgc_collector_thread_start(&thread->thread, "spgc-cycle", SPGC_SMALL_STACK_BYTES, run,
                                     thread) == 0;
}

void spgc_cycle_thread_end(struct spgc_cycle_thread *thread) {
  if (!thread->runs)
    return;
  atomic_fetch_add_explicit(&thread->claims, 1, memory_order_relaxed);
  pthread_mutex_lock(&thread->lock);
  thread->ends = true;
  pthread_cond_signal(&thread->may_go_on);
  pthread_mutex_unlock(&thread->lock);
  pthread_join(thread->thread, NULL);
  thread->runs = false;
}

void spgc_cycle_thread_destroy(struct spgc_cycle_thread *thread) {
  pthread_cond_destroy(&thread->may_go_on);
  pthread_mutex_destroy(&thread->lock);
}

void spgc_cycle_thread_hold(struct spgc_cycle_thread *thread) {
  atomic_fetch_add_explicit(&thread->claims, 1, memory_order_relaxed);
  pthread_mutex_lock(&thread->lock);
}

void spgc_cycle_thread_release(struct spgc_cycle_thread *thread) {
  if (thread->wanted && thread->work.has_steps(thread->work.context)) {
    if (!thread->runs)
      thread->wanted = thread->runs = start(thread);
    pthread_cond_signal(&thread->may_go_on);
  }
  atomic_fetch_sub_explicit(&thread->claims, 1, memory_order_relaxed);
  pthread_mutex_unlock(&thread->lock);
}

void spgc_cycle_thread_release_in_child(struct spgc_cycle_thread *thread) {
  thread->runs = false;
  pthread_cond_init(&thread->may_go_on, NULL);
  atomic_store_explicit(&thread->claims, 0, memory_order_relaxed);
  pthread_mutex_unlock(&thread->lock);
}
