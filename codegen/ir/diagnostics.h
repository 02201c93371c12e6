/* Without a handler, LLVM prints errors and exits. From catch to release, a context's first error
 * is kept; warnings and remarks go to the previous handler. */
#ifndef SPGC_CODEGEN_IR_DIAGNOSTICS_H
#define SPGC_CODEGEN_IR_DIAGNOSTICS_H

#include <llvm-c/Core.h>

#include "spgc/result.h"

struct diagnostics {
  LLVMContextRef context;
  LLVMDiagnosticHandler previous; /* restored by release */
  void *previous_context;
  char *error; /* one line, or NULL */
};

/* `diagnostics` must not move until released. */
void spgc_diagnostics_catch(struct diagnostics *diagnostics, LLVMContextRef context);

/* After a caught error, SPGC_OK becomes SPGC_ERROR_REJECTED with LLVM's text; other results
 * stay. */
enum spgc_result spgc_diagnostics_release(struct diagnostics *diagnostics, enum spgc_result result,
                                          struct spgc_error *error);

#endif
