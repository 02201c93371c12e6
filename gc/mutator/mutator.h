/* Mutators: attached threads, and the nursery blocks they allocate from.
 *
 * A mutator's area is one nursery block. spgc_thread.cursor is the truth about it; the block's
 * `top` follows when the area is published. spgc_thread.limit is a window's end: at most
 * SPGC_LARGEST_SMALL beyond the cursor when it was set and never beyond the area, so that generated
 * code cannot make an object in the nursery that should be a large one. Under stress, and while the
 * thread is in spgc_call_blocking, it is 0.
 */
#ifndef SPGC_GC_MUTATOR_MUTATOR_H
#define SPGC_GC_MUTATOR_MUTATOR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "gc/mutator/fiber.h"
#include "gc/mutator/handles.h"
#include "spgc/stackwalk.h"
#include "spgc/thread.h"
#include "support/fatal.h"

struct spgc_heap;

/*            the mutator                  the thread that stops the world
 *   RUNNING ------------> AT_SAFEPOINT ------------> HELD
 *           <------------              <------------
 */
enum spgc_mutator_state {
  SPGC_MUTATOR_RUNNING,      /* may hold references anywhere; who stops the world waits for it */
  SPGC_MUTATOR_AT_SAFEPOINT, /* `stack` may be walked; may go on */
  SPGC_MUTATOR_HELD,         /* the same, and may not go on */
};

/* Bits of spgc_thread.poll. */
enum {
  SPGC_POLL_STOP = 1,      /* set and cleared by the thread that stops the world */
  SPGC_POLL_STRESS = 2,    /* constant: every poll collects */
  SPGC_POLL_INTERRUPT = 4, /* set and cleared by the thread itself, also in a signal handler */
};

/* Only written by its own thread, or with the world stopped, unless it says otherwise. */
struct spgc_mutator {
  struct spgc_thread *thread; /* constant */
  void *stack_base;           /* frame that every walk of the running stack reaches */
  struct spgc_mutator *next;  /* all mutators: attach and detach, under the world's lock */
  _Atomic(enum spgc_mutator_state) state;
  uint64_t arrival; /* how many came to a safepoint because they were asked, with this one, when it
                       did; 0: it was not asked. Written before AT_SAFEPOINT */
  const struct spgc_suspended_stack
      *stack; /* while not RUNNING, and of the thread that stopped the world */
  struct spgc_watermark
      *watermark;        /* of the running stack; NULL: all frames are visited each time */
  uint32_t tlab;         /* nursery block, or SPGC_BLOCK_NONE; then cursor and limits are 0 */
  uintptr_t tlab_limit;  /* its end */
  size_t reserve_blocks; /* for its out-of-memory hook: under the heap lock */
  struct spgc_handle_stack handles; /* of the running stack */
  struct spgc_fibers fibers;
  uint32_t blocking_calls; /* spgc_call_blocking under way on the running stack */
};

/* The calling thread's, or NULL while it is not attached or is in spgc_call_blocking. */
extern _Thread_local struct spgc_mutator *spgc_mutator_current
    __attribute__((tls_model("initial-exec")));

/* The same, also while it is in spgc_call_blocking. */
extern _Thread_local struct spgc_mutator *spgc_mutator_attached
    __attribute__((tls_model("initial-exec")));

/* The calling thread's. Fatal when it is not attached. */
static inline struct spgc_mutator *spgc_mutator_self(void) {
  struct spgc_mutator *self = spgc_mutator_current;
  spgc_require(self != NULL,
               "the calling thread is not attached to the heap, or is in spgc_call_blocking");
  return self;
}

static inline bool spgc_mutator_is_asked_to_stop(const struct spgc_mutator *mutator) {
  return (__atomic_load_n(&mutator->thread->poll, __ATOMIC_SEQ_CST) & SPGC_POLL_STOP) != 0;
}

/* What follows is for the mutator's own thread, or with the world stopped. */

/* Lets allocation continue in nursery block `index`, after the area before was retired. */
void spgc_mutator_open_tlab(struct spgc_mutator *mutator, const struct spgc_heap *heap,
                            uint32_t index);

/* Lets spgc_thread.limit follow the cursor. */
void spgc_mutator_raise_soft_limit(struct spgc_mutator *mutator);

/* Sends every allocation to the slow path. */
void spgc_mutator_drop_soft_limit(struct spgc_mutator *mutator);

/* Makes the block's `top` tell what was allocated. */
void spgc_mutator_publish_tlab(struct spgc_mutator *mutator, struct spgc_heap *heap);

/* Bytes allocated in the area so far. Also for another thread's, under the heap lock; then behind
 * the truth. */
size_t spgc_mutator_tlab_bytes(const struct spgc_mutator *mutator, const struct spgc_heap *heap);

/* Publishes the area and leaves the mutator without one. Returns the bytes allocated in it. Under
 * the heap lock, or with the world stopped. */
size_t spgc_mutator_retire_tlab(struct spgc_mutator *mutator, struct spgc_heap *heap);

#endif
