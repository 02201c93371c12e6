#ifndef SPGC_GC_MUTATOR_MUTATOR_H
#define SPGC_GC_MUTATOR_MUTATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "gc/mutator/fiber.h"
#include "gc/mutator/handles.h"
#include "gc/policy/limit.h"
#include "gc/tlab/tlab.h"
#include "heap/remembered/buffers.h"
#include "spgc/stackwalk.h"
#include "spgc/thread.h"
#include "support/fatal.h"

struct blocking_region;
struct spgc_pad_cache;

/*            the mutator                  the thread that stops the world
 *   RUNNING ------------> AT_SAFEPOINT ------------> STOPPED
 *           <------------              <------------
 */
enum spgc_mutator_state {
  SPGC_MUTATOR_RUNNING,      /* may hold references anywhere; a stop waits for it */
  SPGC_MUTATOR_AT_SAFEPOINT, /* `stack` may be walked; the mutator may continue */
  SPGC_MUTATOR_STOPPED,      /* likewise, and it may not continue */
};

enum {
  SPGC_POLL_STOP = 1,      /* set and cleared by the stopper */
  SPGC_POLL_STRESS = 2,    /* constant: every poll collects */
  SPGC_POLL_INTERRUPT = 4, /* set and cleared by the thread itself, also in a signal handler */
};

/* Written by the mutator's own thread, or with the world stopped, unless noted. */
struct spgc_mutator {
  struct spgc_thread *thread;             /* constant */
  uint64_t number;                        /* since spgc_start, from 1; constant */
  pid_t system_thread;                    /* also written in the child of a fork */
  void *stack_base;                       /* every walk of the running stack reaches this frame */
  struct spgc_mutator *next;              /* under the world's lock */
  _Atomic(enum spgc_mutator_state) state; /* also by the stopper */
  uint64_t arrival;    /* among all requested ones, or 0. Written before AT_SAFEPOINT */
  uint64_t arrived_ns; /* 0 unless a listener hears it. Written before AT_SAFEPOINT */
  const struct spgc_suspended_stack *stack; /* constant while not RUNNING, and for the stopper */
  struct spgc_pad_cache *pad_cache;         /* or NULL */
  struct spgc_watermark *watermark;         /* the running stack's, or NULL */
  struct spgc_store_buffer store_buffer;
  struct spgc_tlab tlab;
  struct spgc_reserve reserve;
  struct spgc_handle_stack handles; /* the running stack's */
  struct spgc_fibers fibers;
  struct blocking_region *blocking_region; /* NULL while it runs */
  uint32_t blocking_calls;
};

/* NULL if the calling thread is not attached, or is in spgc_call_blocking. */
extern _Thread_local struct spgc_mutator *spgc_mutator_current
    __attribute__((tls_model("initial-exec")));

/* Also in spgc_call_blocking. */
extern _Thread_local struct spgc_mutator *spgc_mutator_attached
    __attribute__((tls_model("initial-exec")));

static inline struct spgc_mutator *spgc_mutator_self(void) {
  struct spgc_mutator *self = spgc_mutator_current;
  spgc_require(self != NULL,
               "the calling thread is not attached to the heap, or is in spgc_call_blocking");
  return self;
}

/* The out-of-memory hook, or a listener before it, which may use the thread's reserve. */
static inline bool spgc_mutator_runs_hook(const struct spgc_mutator *mutator) {
  return mutator->handles.hook_height != 0;
}

static inline bool spgc_mutator_is_asked_to_stop(const struct spgc_mutator *mutator) {
  return (__atomic_load_n(&mutator->thread->poll, __ATOMIC_SEQ_CST) & SPGC_POLL_STOP) != 0;
}

/* NULL if the calling thread runs, or is not attached. */
struct blocking_region *spgc_blocking_region(void);

/* Enters and leaves the world in a region whose spgc_call_blocking is still active. Safepoints. */
void spgc_blocking_end(struct blocking_region *region);
void spgc_blocking_go_back(struct blocking_region *region);

/* Called in a forked child. Their TLABs were retired. */
void spgc_mutators_forget(struct spgc_mutator *mutators);

#endif
