/* Mutators: attached threads, and their TLABs.
 *
 * Invariants of a mutator with a TLAB, which is one nursery block or a hole of an old block:
 *   spgc_thread.cursor is the end of its objects. After publishing, the block's `top` is equal, or
 *   the rest of the hole is a filler;
 *   spgc_thread.limit is a soft limit, at most SPGC_LARGEST_SMALL beyond the cursor when it was
 *   set, and never beyond tlab_limit.
 * The soft limit keeps generated code from putting objects into the TLAB that should be large ones,
 * and sends it to the slow path for objects that are sampled (gc/mutator/sampler.h).
 * It is 0 under stress, and while the thread is in spgc_call_blocking. Without a TLAB, cursor and
 * both limits are 0.
 */
#ifndef SPGC_GC_MUTATOR_MUTATOR_H
#define SPGC_GC_MUTATOR_MUTATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "gc/mutator/fiber.h"
#include "gc/mutator/handles.h"
#include "gc/mutator/sampler.h"
#include "heap/born_old.h"
#include "heap/remembered/buffers.h"
#include "spgc/stackwalk.h"
#include "spgc/thread.h"
#include "support/fatal.h"

struct blocking_region;
struct spgc_pad_cache;

/*            the mutator                  the thread that stops the world
 *   RUNNING ------------> AT_SAFEPOINT ------------> HELD
 *           <------------              <------------
 */
enum spgc_mutator_state {
  SPGC_MUTATOR_RUNNING,      /* may hold references anywhere; a stop waits for it */
  SPGC_MUTATOR_AT_SAFEPOINT, /* `stack` may be walked; the mutator may go on */
  SPGC_MUTATOR_HELD,         /* `stack` may be walked; the mutator may not go on */
};

/* The bits of spgc_thread.poll. */
enum {
  SPGC_POLL_STOP = 1,      /* set and cleared by the thread that stops the world */
  SPGC_POLL_STRESS = 2,    /* constant: every poll collects */
  SPGC_POLL_INTERRUPT = 4, /* set and cleared by the thread itself, also in a signal handler */
};

/* Fields are written by the mutator's own thread, or with the world stopped, unless noted. */
struct spgc_mutator {
  struct spgc_thread *thread; /* constant */
  uint64_t number;            /* among all threads attached since spgc_start, from 1; constant */
  pid_t system_thread;        /* the system's number; written in the child of a fork, too */
  void *stack_base;           /* frame that every walk of the running stack reaches */
  struct spgc_mutator
      *next; /* all mutators: written by attach and detach, under the world's lock */
  _Atomic(enum spgc_mutator_state) state; /* written by the mutator and by the thread that stops the
                                             world */
  uint64_t arrival; /* its number among all arrivals at a safepoint on request; 0: it was not asked.
                       Written before AT_SAFEPOINT */
  uint64_t arrived_ns; /* when it came, if listeners hear of it; written before AT_SAFEPOINT */
  const struct spgc_suspended_stack *stack; /* valid while not RUNNING, and for the thread that
                                               stopped the world */
  struct spgc_pad_cache *pad_cache;         /* of the thread; NULL: there was no memory for it */
  struct spgc_watermark *watermark; /* of the running stack; NULL: every walk visits all frames */
  uint32_t tlab;                    /* nursery block, or SPGC_BLOCK_NONE */
  uintptr_t tlab_limit;             /* the TLAB's end */
  struct spgc_store_buffer store_buffer;
  struct spgc_born_old born_old; /* blocks whose holes are its TLABs; the open one is the TLAB */
  size_t born_old_bytes;         /* of objects in holes that were left, not yet counted in the
                                statistics. Others read it under the heap lock */
  size_t reserve_blocks;         /* for its out-of-memory hook; under the heap lock */
  size_t advanced_blocks;        /* given to its running hook beyond what collections freed; under
                                    the heap lock */
  bool reserve_is_promised;      /* it was complete once; under the heap lock */
  struct spgc_handle_stack handles; /* of the running stack */
  struct spgc_fibers fibers;
  struct spgc_sampler sampler;
  struct blocking_region *blocking_region; /* that the thread is in; NULL while it runs */
  uint32_t blocking_calls; /* calls of spgc_call_blocking under way on the running stack */
};

/* The calling thread's mutator. NULL if it is not attached, or is in spgc_call_blocking. */
extern _Thread_local struct spgc_mutator *spgc_mutator_current
    __attribute__((tls_model("initial-exec")));

/* The same, but also set while the thread is in spgc_call_blocking. */
extern _Thread_local struct spgc_mutator *spgc_mutator_attached
    __attribute__((tls_model("initial-exec")));

/* The calling thread's mutator. Fatal if there is none. */
static inline struct spgc_mutator *spgc_mutator_self(void) {
  struct spgc_mutator *self = spgc_mutator_current;
  spgc_require(self != NULL,
               "the calling thread is not attached to the heap, or is in spgc_call_blocking");
  return self;
}

static inline bool spgc_mutator_is_asked_to_stop(const struct spgc_mutator *mutator) {
  return (__atomic_load_n(&mutator->thread->poll, __ATOMIC_SEQ_CST) & SPGC_POLL_STOP) != 0;
}

/* The functions below are called by the mutator's own thread, or with the world stopped. */

/* Makes nursery block `index` the TLAB. The former one was retired. */
void spgc_mutator_open_tlab(struct spgc_mutator *mutator, const struct spgc_heap *heap,
                            uint32_t index);

/* Leaves the hole that is the TLAB, if there is one, and makes the next hole of at least `bytes`
 * the TLAB. False when none is left of the blocks that the mutator has taken. */
bool spgc_mutator_open_hole(struct spgc_mutator *mutator, struct spgc_heap *heap, size_t bytes);

/* Sets spgc_thread.limit again: SPGC_LARGEST_SMALL beyond the cursor, or where the TLAB ends or the
 * next sample is due. */
void spgc_mutator_raise_soft_limit(struct spgc_mutator *mutator);

/* Sets spgc_thread.limit to 0, so that every allocation takes the slow path. */
void spgc_mutator_drop_soft_limit(struct spgc_mutator *mutator);

/* Makes the objects of the TLAB walkable: sets the block's `top` to their end, or makes the rest of
 * the hole a filler. */
void spgc_mutator_publish_tlab(struct spgc_mutator *mutator, struct spgc_heap *heap);

/* Bytes that the statistics do not count yet. */
struct spgc_uncounted {
  size_t allocated, born_old; /* the second are among the first */
};

/* Those of the mutator. For another thread, under the heap lock; they may be too few then. */
struct spgc_uncounted spgc_mutator_uncounted(const struct spgc_mutator *mutator,
                                             const struct spgc_heap *heap);

/* Publishes the TLAB, leaves the mutator without one, and counts the bytes allocated. Under the
 * heap lock, or with the world stopped. */
void spgc_mutator_retire_tlab(struct spgc_mutator *mutator);

/* The same, and returns its blocks with holes (heap/born_old.h). The caller holds the cycle, too.
 */
void spgc_mutator_retire(struct spgc_mutator *mutator);

/* Retires the calling thread's TLAB. Takes the heap lock. */
void spgc_mutator_drop_tlab(struct spgc_mutator *mutator);

#endif
