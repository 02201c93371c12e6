/* Exceptions on their way: thrown values, and runtime errors, from where they are raised to a
 * landing pad or to the end of the run.
 *
 * What is thrown travels in an exception, an object with the value and the trace of where it was
 * thrown. It is in flight from lox_exception_raise to the pad's call of lox_catch. Frames without a
 * pad are left without a word; handle scopes that they opened are closed in the pad.
 */
#ifndef LOX_RUNTIME_EXCEPTION_H
#define LOX_RUNTIME_EXCEPTION_H

#include <stdbool.h>

#include "frontend-demo/runtime/abi.h"
#include "spgc/handle.h"

struct lox_exception {
  const struct lox_type *type;
  struct spgc_ref value;
  struct spgc_ref trace; /* a string, of lines; empty when no Lox code was running */
};

/* False when no frame has a landing pad. Then nothing needs to be made of what is raised, be it
 * that memory is short or the stack deep: the run can be ended at once. Not a safepoint. */
bool lox_exception_may_be_caught(void);

/* Ends the run after what was raised was reported without a trace: writes the trace of here. */
_Noreturn void lox_exception_end_run(void);

/* A safepoint. */
struct spgc_ref lox_exception_make(struct spgc_handle value, struct spgc_handle trace);

/* Without a landing pad for it the run ends: the exception is reported on standard error, after all
 * that was printed on standard output. */
_Noreturn void lox_exception_raise(struct spgc_ref exception);

#endif
