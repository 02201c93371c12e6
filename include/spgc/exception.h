/* Exceptions in managed functions, by the Itanium C++ ABI
 * (https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html). _Unwind_RaiseException or C++ raises
 * them, through managed, C (-fexceptions) and C++ frames in any order.
 *
 * A managed function's landing pads must be `landingpad token`, so they have no operand that holds
 * the exception. This personality keeps it for spgc_exception. R40 in docs/frontend-rules.md has an
 * example.
 *
 * A pad with a catch clause handles every exception, whatever the clause names. A pad with only
 * `cleanup` is entered on the way to an outer handler, and ends with a call of
 * _Unwind_Resume(exception). The end of a thread by pthread_exit or cancellation enters only pads
 * without a catch clause. With other personalities such as __gxx_personality_v0, the code must
 * get the exception in another way.
 *
 * A C++ exception's object follows the structure: __cxa_begin_catch(exception) returns its address
 * only to frames with C++'s personality. __cxa_begin_catch and __cxa_end_catch() end the exception.
 *
 * References that are live in a landing pad are relocated. The exception itself is memory that the
 * collector does not see, so references in it need handles.
 *
 * The functions are for any thread and are not safepoints. */
#ifndef SPGC_EXCEPTION_H
#define SPGC_EXCEPTION_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct _Unwind_Exception;
struct _Unwind_Context;

/* The personality, called by the unwinder; arguments and results are the ABI's (_Unwind_Action,
 * _Unwind_Reason_Code). */
int spgc_personality(int version, int actions, uint64_t exception_class,
                     struct _Unwind_Exception *exception, struct _Unwind_Context *context);

/* The exception of the landing pad with this personality that the thread entered last. Call it
 * first in the pad. */
struct _Unwind_Exception *spgc_exception(void);

/* Results of the functions below. Later releases may add values, for which spgc_unwind returns. */
enum spgc_unwinding {
  SPGC_UNWIND_NO_LANDING_PAD, /* nothing up to the stack's base would catch */
  SPGC_UNWIND_FOREIGN_FRAME,  /* use _Unwind_RaiseException, because a frame in between has another
                                 personality, or the thread has a shadow stack */
  SPGC_UNWIND_LANDING_PAD,    /* spgc_unwind will not return */
};

/* Tells what spgc_unwind would do. `base` is as in spgc_walk_stack. */
enum spgc_unwinding spgc_unwind_outlook(void *base);

/* Continues in the landing pad of the innermost managed frame whose active call has one, where
 * spgc_exception() returns `exception` (may be NULL). Handlers and cleanups are entered alike; a
 * cleanup ends by calling this function again. The pad must close the handle scopes that the
 * abandoned frames opened. Without a landing pad, or with a foreign frame in between, returns
 * without effect. Makes one pass, about 20 ns per managed frame; _Unwind_RaiseException makes two
 * of about a microsecond per frame. `base` is as in spgc_walk_stack. */
enum spgc_unwinding spgc_unwind(void *base, struct _Unwind_Exception *exception);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
