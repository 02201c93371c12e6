/* The thread's words that generated code touches, and entering and leaving the collector's world.
 *
 * SPGC_THREAD_FIELDS is the one source of the structure's layout: the C struct, the offsets the
 * lowering emits, and the static assertions all come from it. X(name, C type, offset, who writes it
 * and when).
 */
#ifndef SPGC_THREAD_H
#define SPGC_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define SPGC_THREAD_FIELDS(X)                                                                      \
  X(cursor, uintptr_t, 0,                                                                          \
    "next free byte of the TLAB: generated code and the allocator, this thread only")              \
  X(limit, uintptr_t, 8,                                                                           \
    "end of what may be allocated inline, or 0 to send every allocation to the slow path: the "    \
    "collector")                                                                                   \
  X(poll, uintptr_t, 16,                                                                           \
    "non-zero asks the thread to come to a safepoint: any thread, atomically; read by polls")      \
  X(cards, uintptr_t, 24,                                                                          \
    "card of address a is the byte at cards + (a >> SPGC_CARD_SHIFT): at attach; 0 in "            \
    "spgc_call_blocking")                                                                          \
  X(stack_limit, uintptr_t, 32,                                                                    \
    "lowest stack address a language should use; 0 = unset: the language, this thread")

enum { SPGC_CARD_SHIFT = 7, SPGC_CARD_CLEAN = 0, SPGC_CARD_DIRTY = 1 };

struct spgc_thread {
#define SPGC_THREAD_FIELD(name, type, offset, writer) type name;
  SPGC_THREAD_FIELDS(SPGC_THREAD_FIELD)
#undef SPGC_THREAD_FIELD
};

#ifdef __cplusplus
#define SPGC_THREAD_ASSERT static_assert
#else
#define SPGC_THREAD_ASSERT _Static_assert
#endif
#define SPGC_THREAD_FIELD(name, type, offset, writer)                                              \
  SPGC_THREAD_ASSERT(offsetof(struct spgc_thread, name) == (offset),                               \
                     "SPGC_THREAD_FIELDS gives a wrong offset");
SPGC_THREAD_FIELDS(SPGC_THREAD_FIELD)
#undef SPGC_THREAD_FIELD
#undef SPGC_THREAD_ASSERT

/* The calling thread's. Initial-exec: at one constant distance from the thread pointer in every
 * thread. */
#ifdef __cplusplus
extern __thread struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));
#endif

/* Threads.
 *
 * Any number of threads may be attached. A collection waits until each of them has come to a
 * safepoint: a poll of generated code, an allocation that is not served inline, or
 * spgc_call_blocking. A thread that waits for anything else (input, a lock, another thread) outside
 * spgc_call_blocking makes every other thread wait, or deadlocks.
 *
 * No function of the library is a cancellation point. The cancellation type of attached threads
 * must be deferred, but in functions called by spgc_call_blocking.
 *
 * fork is a safepoint. The child uses the heap as the parent does; of attached threads it has only
 * the one that forked, if that was attached (docs/threads.md, spgc/fork.h).
 */

/* Makes the calling thread a mutator; waits for the end of a collection under way. `base` is the
 * frame every walk of this thread must reach: pass __builtin_frame_address(0) of the function that
 * calls this one (or of any function that stays active until detach). Managed frames must lie below
 * it. Errors: SPGC_ERROR_STATE when the heap is not started, the thread is attached already, or its
 * cancellation type is asynchronous; SPGC_ERROR_INVALID_ARGUMENT for a null base;
 * SPGC_ERROR_NO_MEMORY, also when everything was collected and the heap's limit leaves no room for
 * what the thread's out-of-memory hook may use. */
enum spgc_result spgc_thread_attach(void *base, struct spgc_error *error);

/* Ends the calling thread's membership; a safepoint. Its scoped handles end with it; global handles
 * stay. Must not be called below a managed frame. Does nothing when the thread is not attached. A
 * thread that ends is detached. */
void spgc_thread_detach(void);

/* Calls `function` with `argument` and answers its result, while collections go on without the
 * calling thread: for what waits or takes long. A safepoint at its beginning and its end. The
 * function must not touch references, the slots of handles, or objects, nor leave by longjmp; it
 * may leave by an exception or spgc_leave, and the thread may end in it. Polls of generated code in
 * it do nothing. Attached threads only, and not within itself but in spgc_call_managed. */
void *spgc_call_blocking(void *(*function)(void *argument), void *argument);

/* The opposite, for the function that spgc_call_blocking calls: during the call the thread takes
 * part again, and may do what attached threads may. A safepoint at its beginning. May be left by an
 * exception or spgc_leave, not by longjmp.
 */
void *spgc_call_managed(void *(*function)(void *argument), void *argument);

/* Has the hook called at the calling thread's next poll of generated code, once for any number of
 * requests before it: for signal handlers that want to end what runs. Async-signal-safe. What the
 * thread does in C is not disturbed, and code without polls, such as recursion without loops where
 * only loops poll, does not notice. A thread starts without a request: attaching forgets one. */
void spgc_thread_interrupt(void);

/* Called at a poll, a safepoint: may do what attached threads may, and leave by spgc_leave
 * (spgc/protect.h), or by unwinding where no frame up to the handler catches exceptions in the
 * function that polled; the handler must then restore its handle scope (spgc/handle.h). NULL, as at
 * first, ignores requests. Any thread. */
typedef void (*spgc_interrupt_hook)(void);
void spgc_set_interrupt_hook(spgc_interrupt_hook hook);

/* Distance of `spgc_thread` from the thread pointer (%fs:0 on x86-64), the same in every thread:
 * how JIT code, whose loader cannot relocate thread-local symbols, reaches it. Any thread. */
ptrdiff_t spgc_thread_offset(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
