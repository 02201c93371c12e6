/* Fibers: stacks that a thread leaves and comes back to, for generators and coroutines.
 *
 * Managed frames may lie on any of them. The frames of a suspended fiber are roots of every
 * collection until the fiber is released; minor collections visit those that ran since the last, as
 * on a thread's own stack, so that fibers that wait cost nothing but their open scoped handles.
 * Switching by other means (swapcontext, boost.context) between stacks that hold managed frames is
 * not supported: the frames left behind would be no roots.
 *
 *   static struct spgc_fiber *consumer;
 *
 *   static struct spgc_fiber_end produce(void *unused) {
 *     for (long i = 0; i < 10; i++)
 *       spgc_fiber_switch(consumer, (void *)i);
 *     return (struct spgc_fiber_end){consumer, NULL};
 *   }
 *
 *   consumer = spgc_fiber_current();
 *   spgc_fiber_create(produce, NULL, SPGC_FIBER_STACK_LEAST, &fiber, &error);
 *   void *first = spgc_fiber_switch(fiber, NULL);
 *
 * A fiber belongs to the thread that created it, because generated code keeps addresses of
 * thread-local variables across calls. All functions are for that thread, attached and not in
 * spgc_call_blocking; a call that is not allowed is fatal and names the function. What is passed
 * between fibers is no reference: those go by objects and handles.
 *
 * A fiber is no object: nobody finds out that it cannot be reached. One that its program forgets
 * keeps its memory and all that its frames refer to until its thread ends. Where fibers belong to
 * objects of a language, the object's finalizer releases its fiber (spgc/finalizer.h; the number of
 * a table's entry, tagged, can be what the finalizer holds): taken from the queue by the fiber's
 * own thread. No frame of the fiber may refer to that object, nor to what leads to it, or it never
 * dies.
 */
#ifndef SPGC_FIBER_H
#define SPGC_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#include "spgc/result.h"
#include "spgc/stackwalk.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct spgc_fiber;

/* Where a thread goes on when a fiber has finished: in a suspended fiber, whose spgc_fiber_switch
 * returns `value`. */
struct spgc_fiber_end {
  struct spgc_fiber *to;
  void *value;
};

/* What a fiber runs, with the value of the first switch to it. No exception may leave it. */
typedef struct spgc_fiber_end (*spgc_fiber_entry)(void *value);

/* The least size of a fiber's stack, in bytes. A collection runs on the stack of the thread that
 * needs it; this suffices for one, with verification, below a dozen small frames. */
enum { SPGC_FIBER_STACK_LEAST = 64 << 10 };

/* Makes a fiber, whose entry the first switch to it calls. `stack` is the lowest address of `size`
 * bytes that the caller owns and keeps until the fiber is released; NULL: the library maps as many,
 * rounded up to pages, and an inaccessible page below them. No safepoint. Errors:
 * SPGC_ERROR_INVALID_ARGUMENT for a null entry or a smaller stack, SPGC_ERROR_NO_MEMORY,
 * SPGC_ERROR_UNSUPPORTED in a program linked with split stacks. */
enum spgc_result spgc_fiber_create(spgc_fiber_entry entry, void *stack, size_t size,
                                   struct spgc_fiber **fiber, struct spgc_error *error);

/* Suspends the running fiber and goes on in `to`, a suspended or new fiber of this thread. Returns,
 * once the thread switches back, the value passed then. To its caller it is a safepoint.
 *
 * Each fiber has scoped handles, protected calls (spgc/protect.h), and a value of
 * spgc_thread.stack_limit of its own; the last is 0 in a new one. The floating-point environment's
 * control words are kept as by any call. */
void *spgc_fiber_switch(struct spgc_fiber *to, void *value);

/* The fiber the thread runs. The stack a thread was attached on counts as one, which is never
 * created, finished or released. */
struct spgc_fiber *spgc_fiber_current(void);

/* Whether the entry has returned. */
bool spgc_fiber_is_finished(const struct spgc_fiber *fiber);

/* Ends a fiber that does not run: frames that it still has are abandoned without cleanups, and its
 * scoped handles end. NULL does nothing. A thread must release its fibers before
 * spgc_thread_detach; one that ends by itself releases them. */
void spgc_fiber_release(struct spgc_fiber *fiber);

/* Base of the stack the thread runs on: what it was attached with, or the fiber's. For
 * spgc_walk_stack, spgc_unwind and spgc_unwind_outlook. */
void *spgc_stack_base(void);

/* Walks the frames of a suspended fiber, from its call of spgc_fiber_switch outwards; none of one
 * that is new or finished. */
void spgc_fiber_walk(const struct spgc_fiber *fiber, const struct spgc_stack_visitor *visitor,
                     struct spgc_walk_counts *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
