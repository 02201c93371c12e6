/* Without a handler, LLVM prints errors and exits. Between catch and release, this handler keeps
 * the first error of a context as an error of the library; warnings and remarks go to the previous
 * handler. */
#ifndef SPGC_CODEGEN_IR_DIAGNOSTICS_H
#define SPGC_CODEGEN_IR_DIAGNOSTICS_H

#include <llvm-c/Core.h>

#include "spgc/result.h"

struct diagnostics {
  LLVMContextRef context;
  LLVMDiagnosticHandler previous; /* of the context; restored by release */
  void *previous_context;
  char *error; /* the first error, on one line; or NULL */
};

/* `diagnostics` must not move until it is released. */
void spgc_diagnostics_catch(struct diagnostics *diagnostics, LLVMContextRef context);

/* Returns `result`, or SPGC_ERROR_REJECTED with LLVM's text if `result` is SPGC_OK and an error was
 * caught. */
enum spgc_result spgc_diagnostics_release(struct diagnostics *diagnostics, enum spgc_result result,
                                          struct spgc_error *error);

#endif
