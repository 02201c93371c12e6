#include "codegen/ir/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fatal.h"

static void keep_error(struct diagnostics *diagnostics, LLVMDiagnosticInfoRef diagnostic) {
  if (diagnostics->error != NULL)
    return;
  char *text = LLVMGetDiagInfoDescription(diagnostic);
  diagnostics->error = strdup(text);
  spgc_require(diagnostics->error != NULL, "out of memory");
  LLVMDisposeMessage(text);
  for (char *newline; (newline = strchr(diagnostics->error, '\n')) != NULL;)
    *newline = ' ';
}

static void print_other(LLVMDiagnosticInfoRef diagnostic) {
  char *text = LLVMGetDiagInfoDescription(diagnostic);
  fprintf(stderr, "warning: %s\n", text);
  LLVMDisposeMessage(text);
}

static void handle(LLVMDiagnosticInfoRef diagnostic, void *context) {
  struct diagnostics *diagnostics = context;
  LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(diagnostic);
  if (severity == LLVMDSError)
    keep_error(diagnostics, diagnostic);
  else if (diagnostics->previous != NULL)
    diagnostics->previous(diagnostic, diagnostics->previous_context);
  else if (severity == LLVMDSWarning)
    print_other(diagnostic);
}

void spgc_diagnostics_catch(struct diagnostics *diagnostics, LLVMContextRef context) {
  *diagnostics = (struct diagnostics){.context = context,
                                      .previous = LLVMContextGetDiagnosticHandler(context),
                                      .previous_context = LLVMContextGetDiagnosticContext(context)};
  LLVMContextSetDiagnosticHandler(context, handle, diagnostics);
}

enum spgc_result spgc_diagnostics_release(struct diagnostics *diagnostics, enum spgc_result result,
                                          struct spgc_error *error) {
  LLVMContextSetDiagnosticHandler(diagnostics->context, diagnostics->previous,
                                  diagnostics->previous_context);
  if (result == SPGC_OK && diagnostics->error != NULL)
    result = spgc_error_set(error, SPGC_ERROR_REJECTED, 0, "LLVM: %s", diagnostics->error);
  free(diagnostics->error);
  return result;
}
