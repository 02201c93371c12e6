/* What LLVM complains of while it works on a module, as an error instead of a message and the end
 * of the process.
 *
 * Between spgc_diagnostics_catch and spgc_diagnostics_release LLVM's diagnostics of one context
 * come here: the first error is kept, warnings and remarks go to whom they went before. Without a
 * handler LLVM prints errors and exits.
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

/* `diagnostics` stays where it is until it is released. */
void spgc_diagnostics_catch(struct diagnostics *diagnostics, LLVMContextRef context);

/* `result`, unless an error was caught while it was SPGC_OK: then SPGC_ERROR_REJECTED with LLVM's
 * text. */
enum spgc_result spgc_diagnostics_release(struct diagnostics *diagnostics, enum spgc_result result,
                                          struct spgc_error *error);

#endif
