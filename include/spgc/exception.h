/* Exceptions in managed functions, by the Itanium C++ ABI
 * (https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html): raised with _Unwind_RaiseException or by
 * C++, they pass through managed, C (-fexceptions) and C++ frames in any order.
 *
 * A managed function's landing pads must be `landingpad token`, so they have no operand that holds
 * the exception. This personality keeps it for them:
 *
 *   define ... gc "statepoint-example" personality ptr @spgc_personality {
 *     %r = invoke ... to label %normal unwind label %handler
 *   handler:
 *     %pad = landingpad token catch ptr null
 *     %exception = call ptr @spgc_exception() "gc-leaf-function"
 *
 * A pad with a catch clause, whatever the clause names, is a handler of every exception. One with
 * `cleanup` only is entered on the way to a handler further out, and ends with a call of
 * _Unwind_Resume(exception). Other personalities work too, __gxx_personality_v0 among them, but
 * then the exception must be had from somewhere else.
 *
 * Of a C++ exception, what was thrown follows the structure; __cxa_begin_catch(exception) and
 * __cxa_end_catch() end it, but the former returns its address to frames with C++'s personality
 * only.
 *
 * References live in a landing pad are relocated like those on the normal way. The exception itself
 * is memory the collector does not see: references it carries need handles.
 */
#ifndef SPGC_EXCEPTION_H
#define SPGC_EXCEPTION_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct _Unwind_Exception;
struct _Unwind_Context;

/* Called by the unwinder, with the actions (_Unwind_Action) and the result (_Unwind_Reason_Code) of
 * the ABI. Any thread. Not a safepoint. */
int spgc_personality(int version, int actions, uint64_t exception_class,
                     struct _Unwind_Exception *exception, struct _Unwind_Context *context);

/* The exception for which the calling thread's last landing pad with that personality was entered.
 * To be asked for before anything else is called there. Any thread. Not a safepoint. */
struct _Unwind_Exception *spgc_exception(void);

/* What lies between a call of the functions below and the stack's base. */
enum spgc_unwinding {
  SPGC_UNWIND_NO_LANDING_PAD, /* nothing up to the base has one: nobody would notice */
  SPGC_UNWIND_FOREIGN_FRAME,  /* a frame in between has another personality: raise with
                                 _Unwind_RaiseException */
  SPGC_UNWIND_LANDING_PAD,
};

/* What spgc_unwind will find: SPGC_UNWIND_LANDING_PAD when it will not return. Any thread. Not a
 * safepoint. */
enum spgc_unwinding spgc_unwind_outlook(void *base);

/* Leaves the frames up to the innermost managed one with a landing pad for the call it is in, and
 * goes on in the pad, where spgc_exception() returns `exception` (it may be NULL). One pass, at the
 * speed of a stack walk (spgc/stackwalk.h): about 20 ns a managed frame, where
 * _Unwind_RaiseException takes two of a microsecond or so each. Handlers and cleanups are entered
 * alike; a cleanup ends by calling this again. Returns, with everything as it was, in the other two
 * cases. `base` is that of spgc_walk_stack. Any thread. Not a safepoint; handle scopes that the
 * frames opened are the caller's to close in the pad. */
enum spgc_unwinding spgc_unwind(void *base, struct _Unwind_Exception *exception);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
