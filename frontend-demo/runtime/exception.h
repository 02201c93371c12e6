/* A thrown value travels in an exception, from lox_exception_raise to the pad's call of lox_catch,
 * which closes the handle scopes of the frames that were left. */
#ifndef LOX_RUNTIME_EXCEPTION_H
#define LOX_RUNTIME_EXCEPTION_H

#include <stdbool.h>

#include "frontend-demo/runtime/abi.h"
#include "spgc/handle.h"

struct lox_exception {
  const struct lox_type *type;
  struct spgc_ref value;
  struct spgc_ref trace; /* lines of text; empty outside of Lox code; unused for an error, which has
                          * its own */
};

/* False if no frame has a landing pad: the run can end without making an exception, however short
 * the memory or deep the stack. Not a safepoint. */
bool lox_exception_may_be_caught(void);

/* Writes the present trace. The error was reported without it. */
_Noreturn void lox_exception_end_run(void);

/* Ends the run if SIGINT asked for it. */
void lox_exception_heed_interrupt(void);

/* A safepoint. */
struct spgc_ref lox_exception_make(struct spgc_handle value, struct spgc_handle trace);

/* If nothing catches it, flushes printed text, reports the exception on standard error, and ends
 * the run. */
_Noreturn void lox_exception_raise(struct spgc_ref exception);

#endif
