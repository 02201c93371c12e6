/* The thread that takes the cycle's steps while mutators run.
 *
 * What the cycle works on (marks, the marker, blocks to be swept) belongs to whoever holds the
 * cycle: the thread while it takes a step, a collection from before its beginning to after its end,
 * or a mutator that helps. The thread gives way after one step, well below a millisecond.
 *
 * While it marks it reads fields of old objects and the spaces of blocks, which mutators write
 * meanwhile: both sides use relaxed atomic accesses. A field that changes behind its back lies on a
 * dirty card (gc/trace/mark.h).
 */
#ifndef SPGC_GC_TRACE_CYCLE_THREAD_H
#define SPGC_GC_TRACE_CYCLE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the thread works on. The functions are called by whoever holds the cycle. */
struct spgc_cycle_work {
  bool (*has_steps)(const void *context);
  void (*take_step)(void *context);
  void *context;
};

struct spgc_cycle_thread {
  struct spgc_cycle_work work; /* constant */
  bool
      wanted; /* constant once the heap is started; false also when the system refused the thread */
  pthread_mutex_t lock;
  pthread_cond_t may_go_on; /* or is to end */
  _Atomic uint32_t claims;  /* how many hold the cycle or wait for it, the thread not counted:
                               written by them, read by  the thread */
  bool runs, ends;          /* under the lock */
  pthread_t thread;         /* while it runs */
};

/* What is wanted takes effect when there is something to do. */
void spgc_cycle_thread_create(struct spgc_cycle_thread *thread, bool wanted,
                              struct spgc_cycle_work work);

/* Ends the thread. */
void spgc_cycle_thread_destroy(struct spgc_cycle_thread *thread);

/* Waits until the thread has ended its step. Not by one thread twice. */
void spgc_cycle_thread_hold(struct spgc_cycle_thread *thread);
void spgc_cycle_thread_release(struct spgc_cycle_thread *thread);

/* In the child of a process that forked between hold and release: the thread is not there, and is
 * started again when there is work. */
void spgc_cycle_thread_release_in_child(struct spgc_cycle_thread *thread);

/* Whether more than one processor may run this process. */
bool spgc_cycle_thread_has_processor(void);

#endif
