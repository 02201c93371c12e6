/* Fibers: stacks that a thread can leave and return to, for generators and coroutines (an example
 * is in docs/threads.md).
 *
 * Managed frames may be on any of them. A suspended fiber's frames are roots until it is released.
 * Minor collections visit only frames that ran since the last collection, so a waiting fiber costs
 * nothing, except for its open scoped handles and for reference variables whose addresses escaped,
 * because others may write to these. Other ways of leaving stacks with managed frames (swapcontext,
 * boost.context) are not supported, because the frames left behind would not be roots.
 *
 * A fiber belongs to the thread that created it, because generated code keeps addresses of
 * thread-local variables across calls. Only that thread may call these functions, attached and not
 * in spgc_call_blocking; other calls are fatal. Fibers must not pass references to each other,
 * except in objects or handles.
 *
 * A fiber is not an object, so the collector does not find out that it is unreachable. Until it is
 * released or its thread ends, it keeps its memory, and everything its frames refer to. If an
 * object of a language owns a fiber, its finalizer can release it (spgc/finalizer.h): it holds, for
 * example, a tagged table index, and the fiber's own thread takes it from the queue. The fiber's
 * frames must not lead to that object, or it would never die. */
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

/* A fiber. */
struct spgc_fiber;

/* The result of a fiber's entry: the thread continues in the suspended fiber `to`, whose
 * spgc_fiber_switch returns `value`. */
struct spgc_fiber_end {
  struct spgc_fiber *to;
  void *value;
};

/* The entry of a fiber; `value` is that of the first switch to it. No exception may leave it. */
typedef struct spgc_fiber_end (*spgc_fiber_entry)(void *value);

/* The least stack size in bytes: enough for a dozen small frames and a collection with
 * verification, which runs on the triggering thread's stack. */
enum { SPGC_FIBER_STACK_LEAST = 64 << 10 };

/* Creates a fiber, whose first switch calls `entry`. `stack` is the lowest address of `size` bytes
 * that the caller keeps until the release; NULL: the library maps `size` bytes, rounded up to
 * pages, above a guard page. Not a safepoint. Errors: SPGC_ERROR_INVALID_ARGUMENT for a null entry
 * or a smaller stack; SPGC_ERROR_NO_MEMORY; SPGC_ERROR_UNSUPPORTED in a program linked with split
 * stacks, and on a thread with a shadow stack. */
enum spgc_result spgc_fiber_create(spgc_fiber_entry entry, void *stack, size_t size,
                                   struct spgc_fiber **fiber, struct spgc_error *error);

/* Suspends the running fiber and continues in `to`, a suspended or new fiber of this thread.
 * Returns the value of the switch back. A safepoint.
 *
 * Each fiber has its own scoped handles, protected calls (spgc/protect.h), C++ exceptions being
 * handled (of the C++ runtime that the program starts with), and spgc_thread.stack_limit, initially
 * 0. The floating-point control words are preserved as by any call. */
void *spgc_fiber_switch(struct spgc_fiber *to, void *value);

/* The running fiber. The stack on which the thread was attached counts as a fiber that is never
 * finished or released. */
struct spgc_fiber *spgc_fiber_current(void);

/* Whether the fiber's entry has returned. */
bool spgc_fiber_is_finished(const struct spgc_fiber *fiber);

/* Releases a fiber that does not run. Its frames are abandoned without cleanups, its scoped handles
 * end, and C++ exceptions that it handles are not destroyed. NULL does nothing. A thread must
 * release its fibers before spgc_thread_detach; if it ends without detaching, they are released. */
void spgc_fiber_release(struct spgc_fiber *fiber);

/* The base of the running stack, the thread's own or a fiber's, for spgc_walk_stack, spgc_unwind
 * and spgc_unwind_outlook. */
void *spgc_stack_base(void);

/* Walks the frames of a suspended fiber, from spgc_fiber_switch outwards; a new or finished fiber
 * has none. `counts` may be NULL. */
void spgc_fiber_walk(const struct spgc_fiber *fiber, const struct spgc_stack_visitor *visitor,
                     struct spgc_walk_counts *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
