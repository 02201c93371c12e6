/* The thread that takes the cycle's steps while mutators run.
 *
 * The thread that holds the cycle owns the cycle's data: the marks, the marker, and the unswept
 * blocks. The holder is this thread while it takes a step, a collection from before its beginning
 * to after its end, or a mutator that assists. This thread gives way after one step, which takes
 * well below a millisecond.
 *
 * While it marks, mutators write the fields of old objects and the spaces of blocks that it reads,
 * so both sides use relaxed atomic accesses. A field that changes after it was read lies on a dirty
 * card (gc/trace/mark.h).
 */
#ifndef SPGC_GC_TRACE_CYCLE_THREAD_H
#define SPGC_GC_TRACE_CYCLE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The thread's work. The thread that holds the cycle calls the functions. */
struct spgc_cycle_work {
  bool (*has_steps)(const void *context);
  void (*take_step)(void *context);
  void *context;
};

struct spgc_cycle_thread {
  struct spgc_cycle_work work; /* constant */
  bool wanted; /* constant once the heap is started, but set to false when the system refuses the
                  thread. Under the lock */
  pthread_mutex_t lock;     /* held by the thread that holds the cycle */
  pthread_cond_t may_go_on; /* signalled when there are steps, and at the end */
  _Atomic uint32_t claims;  /* threads that hold the cycle or wait for it, without this one. Written
                               by them, read by this thread */
  bool runs, ends;          /* under the lock */
  pthread_t thread;         /* while it runs */
};

/* The thread starts only when there are steps to take. */
void spgc_cycle_thread_create(struct spgc_cycle_thread *thread, bool wanted,
                              struct spgc_cycle_work work);

/* Ends the thread and waits for its end. No other thread holds the cycle from now on. */
void spgc_cycle_thread_end(struct spgc_cycle_thread *thread);

/* The thread has ended, or was never started. */
void spgc_cycle_thread_destroy(struct spgc_cycle_thread *thread);

/* Waits until the thread has ended its step. A thread must not hold the cycle twice. */
void spgc_cycle_thread_hold(struct spgc_cycle_thread *thread);
void spgc_cycle_thread_release(struct spgc_cycle_thread *thread);

/* Called in the child of a process that forked between hold and release. The thread does not exist
 * there; it is started again when there are steps. */
void spgc_cycle_thread_release_in_child(struct spgc_cycle_thread *thread);

#endif
