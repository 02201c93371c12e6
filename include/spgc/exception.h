/* Exceptions in managed functions, by the Itanium C++ ABI
 * (https://itanium-cxx-abi.github.io/cxx-abi/abi-eh.html). They are raised with
 * _Unwind_RaiseException or by C++, and pass through managed, C (-fexceptions) and C++ frames in
 * any order.
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
 * A pad with a catch clause handles every exception, whatever the clause names. A pad with only
 * `cleanup` is entered on the way to an outer handler, and ends with a call of
 * _Unwind_Resume(exception). Other personalities such as __gxx_personality_v0 also work, but the
 * code must then get the exception in another way.
 *
 * In a C++ exception, the thrown object follows the structure. __cxa_begin_catch(exception) and
 * __cxa_end_catch() end the exception, but __cxa_begin_catch returns the object's address only to
 * frames with C++'s personality.
 *
 * References that are live in a landing pad are relocated like those on the normal path. The
 * exception itself is memory that the collector does not see, so references in it need handles. */
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
 * _Unwind_Reason_Code). Any thread. Not a safepoint. */
int spgc_personality(int version, int actions, uint64_t exception_class,
                     struct _Unwind_Exception *exception, struct _Unwind_Context *context);

/* The exception for which the calling thread entered its last landing pad with this personality.
 * Call it before anything else in the pad. Any thread. Not a safepoint. */
struct _Unwind_Exception *spgc_exception(void);

/* Results of the functions below. Later releases may add values, for which spgc_unwind returns. */
enum spgc_unwinding {
  SPGC_UNWIND_NO_LANDING_PAD, /* nothing up to the stack's base would catch */
  SPGC_UNWIND_FOREIGN_FRAME,  /* a frame in between has another personality, or the thread has a
                                 shadow stack: use _Unwind_RaiseException */
  SPGC_UNWIND_LANDING_PAD,    /* spgc_unwind will not return */
};

/* Tells what spgc_unwind would do. `base` is as in spgc_walk_stack. Any thread. Not a safepoint. */
enum spgc_unwinding spgc_unwind_outlook(void *base);

/* Leaves all frames up to the innermost managed one whose active call has a landing pad, and
 * continues there, where spgc_exception() returns `exception` (may be NULL). Handlers and cleanups
 * are entered alike; a cleanup ends by calling this function again. The pad must close the handle
 * scopes that the abandoned frames opened. If there is no landing pad, or a foreign frame in
 * between, returns without effect. One pass at the speed of a stack walk, about 20 ns per managed
 * frame; _Unwind_RaiseException makes two passes of about a microsecond per frame. `base` is as in
 * spgc_walk_stack. Any thread. Not a safepoint. */
enum spgc_unwinding spgc_unwind(void *base, struct _Unwind_Exception *exception);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
