/* Protected calls can be left from any depth, as with setjmp and longjmp, but safely for references
 * (an example is in docs/threads.md).
 *
 * Do not use setjmp in a C function below managed code: it saves callee-saved registers, in which
 * the managed caller may keep references, in a buffer that no collection sees, and longjmp would
 * restore stale addresses. spgc_protect keeps them on the stack, where collections rewrite them. */
#ifndef SPGC_PROTECT_H
#define SPGC_PROTECT_H

#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* An active call of spgc_protect, until it returns, is left, or is unwound by an exception. */
struct spgc_protection;

/* Calls `function` with `argument`. Returns its result, or, if the call was left, spgc_leave's
 * value; `was_left` (may be NULL) tells which. Protected calls nest. Any thread, any state, also on
 * a fiber. Not a safepoint itself. */
void *spgc_protect(void *(*function)(void *argument), void *argument, bool *was_left);

/* The innermost protected call on the running stack, or NULL. Any thread. */
struct spgc_protection *spgc_protection(void);

/* Ends a protected call on the running stack; NULL stands for the innermost one. Its spgc_protect
 * returns `value`, which must not be a reference; pass references in handles or objects. Do not
 * name a call that has ended: a later one may have its address. Fatal if there is no such call; in
 * a visitor of a stack walk, a listener or a source finder, if the protected call began outside;
 * and if the thread has a shadow stack (docs/threads.md).
 *
 * Inner frames are abandoned without destructors or cleanups, their protected calls end, and scoped
 * handles made since the call began are closed. If calls of spgc_call_blocking or spgc_call_managed
 * are left too, the thread is attached or blocking as at the protected call, and this is a
 * safepoint. The out-of-memory hook and the interrupt hook may call it; a signal handler must not.
 * Any thread. */
__attribute__((noreturn)) void spgc_leave(struct spgc_protection *protection, void *value);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
