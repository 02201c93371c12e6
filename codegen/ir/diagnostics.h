/* Turns LLVM's diagnostics about a module into an error, because without a handler LLVM prints
 * errors and exits.
 *
 * Between spgc_diagnostics_catch and spgc_diagnostics_release LLVM's diagnostics of one context
 * come here. The first error is kept; warnings and remarks go to the previous handler.
 */
#ifndef SPGC_CODEGEN_IR_DIAGNOSTICS_H
#define SPGC_CODEGEN_IR_DIAGNOSTICS_H

#include <llvm-c/Core.h>

#include "spgc/result.h"

struct diagnostics {
  LLVMContextRef context;
  LLVMDiagnosticHandler previous; /* of the context; restored by spgc_diagnostics_release */
  void *previous_context;
  char *error; /* the first error's text, one line; NULL: none */
};

/* `diagnostics` must not move until it is released. */
void spgc_diagnostics_catch(struct diagnostics *diagnostics, LLVMContextRef context);

/* Returns `result`; or SPGC_ERROR_REJECTED with LLVM's text, if `result` is SPGC_OK and an error
 * was caught. */
enum spgc_result spgc_diagnostics_release(struct diagnostics *diagnostics, enum spgc_result result,
                                          struct spgc_error *error);

#endif
