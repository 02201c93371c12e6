/* Calls that can be left from anywhere further in: what setjmp and longjmp are for, with references
 * in safety.
 *
 * Do not use setjmp in a C function that managed code calls, directly or not. It keeps callee-saved
 * registers in a buffer that no collection sees; those are the managed caller's, which may keep
 * references there. longjmp brings them back with the addresses from before a collection.
 * spgc_protect keeps the registers on the stack, where collections rewrite them.
 *
 *   static void *evaluate(void *expression) {
 *     ... if (wrong) spgc_leave(NULL, "division by zero"); ...
 *   }
 *
 *   bool was_left;
 *   void *result = spgc_protect(evaluate, expression, &was_left);
 */
#ifndef SPGC_PROTECT_H
#define SPGC_PROTECT_H

#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A call of spgc_protect under way. It ends when the call returns, is left, or is unwound by an
 * exception. */
struct spgc_protection;

/* Calls `function` with `argument`. Returns what it returns; or, when it was left, what spgc_leave
 * was given. `was_left` (may be NULL) tells which. Protected calls nest. Any thread, attached or
 * not, also in spgc_call_blocking and on a fiber. Itself no safepoint. */
void *spgc_protect(void *(*function)(void *argument), void *argument, bool *was_left);

/* The calling thread's innermost protected call, on the running fiber's stack; NULL: none. Any
 * thread. */
struct spgc_protection *spgc_protection(void);

/* Ends a protected call of the calling thread, on the stack it runs on; NULL: the innermost. Its
 * spgc_protect returns `value`, which must be no reference: those go by handles or objects. Fatal
 * when there is no such call; do not name a call that has ended, for a later one may be in its
 * place.
 *
 * The frames further in are abandoned: their destructors and cleanups do not run, and frames of
 * spgc_protect among them end. Scoped handles made since the call began are closed. The thread is
 * again in the world, or out of it, as it was at the call: what lies between may be
 * spgc_call_blocking or spgc_call_managed; then this is a safepoint. May be called by the
 * out-of-memory hook and the interrupt hook, not by a signal handler. Any thread. */
__attribute__((noreturn)) void spgc_leave(struct spgc_protection *protection, void *value);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
