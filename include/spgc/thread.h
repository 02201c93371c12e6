/* Threads: their words for generated code, attaching, detaching, blocking regions and interrupts.
 *
 * SPGC_THREAD_FIELDS is the one source of the layout, for C, the lowering and the static
 * assertions. */
#ifndef SPGC_THREAD_H
#define SPGC_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* X(name, C type, offset, meaning: writers) */
#define SPGC_THREAD_FIELDS(X)                                                                      \
  X(cursor, uintptr_t, 0,                                                                          \
    "next free byte of the TLAB: generated code and the allocator, on this thread only")           \
  X(limit, uintptr_t, 8,                                                                           \
    "end of inline allocation, or 0 to send every allocation to the slow path: the collector")     \
  X(poll, uintptr_t, 16,                                                                           \
    "non-zero asks the thread to reach a safepoint: any thread, atomically; read by polls")        \
  X(cards, uintptr_t, 24,                                                                          \
    "the card of address a is the byte at cards + (a >> SPGC_CARD_SHIFT). 0 in "                   \
    "spgc_call_blocking: attach and spgc_call_blocking")                                           \
  X(stack_limit, uintptr_t, 32,                                                                    \
    "lowest stack address a language should use; 0 = unset: the language, on this thread")         \
  X(group_cards, uintptr_t, 40,                                                                    \
    "group card of address a is the byte at group_cards + (a >> SPGC_GROUP_CARD_SHIFT): attach")   \
  X(stores, uintptr_t, 48,                                                                         \
    "next free word of the store buffer: generated code and the library, on this thread, and "     \
    "collections")

/* The write barrier. A card covers 2^SPGC_CARD_SHIFT bytes of the heap, and a group card covers
 * 2^SPGC_GROUP_CARD_SHIFT. Each is one byte, SPGC_CARD_CLEAN or SPGC_CARD_DIRTY.
 *
 * Code that stores a reference must dirty the field's card. Unless the group card is already dirty,
 * it must also either dirty the group card, or append the field's address to the thread's store
 * buffer and increment the group's count. It may append only while the count is below
 * SPGC_MOST_GROUP_STORES and the buffer is not full.
 *
 * Until the first safepoint after the allocation of an object, stores into it need none of this,
 * if its length is at most SPGC_MOST_FRESH_ELEMENTS.
 *
 * A store buffer is SPGC_STORE_BUFFER_BYTES long and aligned to its length. Its first word leads to
 * the counts: the count of the group of address a is the byte at (first word) +
 * (a >> SPGC_GROUP_CARD_SHIFT). Its last word is never used, so the buffer is full when `stores`
 * points to it. */
enum {
  SPGC_CARD_SHIFT = 7,
  SPGC_GROUP_CARD_SHIFT = 13,
  SPGC_CARD_CLEAN = 0,
  SPGC_CARD_DIRTY = 1,
  SPGC_STORE_BUFFER_BYTES = 1 << 17,
  SPGC_MOST_GROUP_STORES = 8,
  SPGC_MOST_FRESH_ELEMENTS = 256,
};

/* A thread's words for generated code. */
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

/* The calling thread's words. The TLS model is initial-exec, so they are at one constant distance
 * from the thread pointer in every thread. */
#ifdef __cplusplus
extern __thread struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));
#endif

/* Any number of threads may be attached. A collection waits until each is at a safepoint: a poll of
 * generated code, an allocation that is not served inline, or spgc_call_blocking. A thread that
 * waits for anything else (input, a lock, another thread) makes all others wait, or deadlocks,
 * unless it does so in spgc_call_blocking.
 *
 * No function of the library is a cancellation point. The cancellation type of an attached thread
 * must be deferred, except in functions called by spgc_call_blocking.
 *
 * fork is a safepoint. The child has the heap, but of the attached threads only the one that forked
 * (docs/threads.md, spgc/fork.h). */

/* Attaches the calling thread, which becomes a mutator. Waits for the end of the current
 * collection. `base` is the frame that every walk of this thread must reach: pass
 * __builtin_frame_address(0) of a function that stays active until detach. Managed frames must be
 * below it. A collection runs on the stack of the thread that triggers it (SPGC_FIBER_STACK_LEAST,
 * spgc/fiber.h). Errors: SPGC_ERROR_STATE if the heap is not started, the thread is attached, or
 * its cancellation type is asynchronous; SPGC_ERROR_INVALID_ARGUMENT for a null base;
 * SPGC_ERROR_NO_MEMORY, also if the limit leaves no space for the reserve of the thread's
 * out-of-memory hook. */
enum spgc_result spgc_thread_attach(void *base, struct spgc_error *error);

/* Detaches the calling thread. Its scoped handles end. Must not be called below a managed frame;
 * that is fatal if noticed. Does nothing if the thread is not attached. A thread that ends is
 * detached, unless destructors of its keys attach it again each time
 * (PTHREAD_DESTRUCTOR_ITERATIONS). A safepoint. */
void spgc_thread_detach(void);

/* For calls that wait or take long: calls `function` and returns its result, while collections run
 * without waiting for this thread. A safepoint at its beginning and its end. The function must not
 * touch references, slots of handles, or objects. It may leave by an exception or spgc_leave, but
 * not by longjmp, and the thread may end in it. Polls of generated code do nothing in it. Attached
 * threads only; nested calls only inside spgc_call_managed. */
void *spgc_call_blocking(void *(*function)(void *argument), void *argument);

/* Calls `function`, from inside spgc_call_blocking, and returns its result. The thread may then do
 * what attached threads may do. A safepoint at its beginning. The function may leave by an
 * exception or spgc_leave, but not by longjmp. */
void *spgc_call_managed(void *(*function)(void *argument), void *argument);

/* For signal handlers that want to end running code: makes the calling thread call the hook at its
 * next poll of generated code, once for any number of requests. Async-signal-safe. Code without
 * polls is not interrupted: C, or a recursion without loops if only loops poll. Attaching drops a
 * pending request. */
void spgc_thread_interrupt(void);

/* Called at a poll, which is a safepoint. The hook may do what attached threads may do. It may
 * leave by spgc_leave (spgc/protect.h), or by unwinding if no frame up to the handler catches
 * exceptions in the function that polled; then the handler must restore its handle scope
 * (spgc/handle.h). NULL, the default, ignores requests. The previous hook and its context must stay
 * until threads that may run it have detached. Any thread. */
typedef void (*spgc_interrupt_hook)(void *context);
void spgc_set_interrupt_hook(spgc_interrupt_hook hook, void *context);

/* The distance of `spgc_thread` from the thread pointer (%fs:0 on x86-64), the same in every
 * thread. For JITs that cannot relocate thread-local symbols. Any thread. */
ptrdiff_t spgc_thread_offset(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
