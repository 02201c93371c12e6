#include "codegen/lower.h"
#include "support/fatal.h"
#include <llvm-c/Analysis.h>
#include <stddef.h>
enum spgc_result spgc_check_module(LLVMModuleRef module, struct spgc_error *error) {
  char *message = NULL;
  enum spgc_result result = SPGC_OK;
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
    result = spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "%s", message);
  LLVMDisposeMessage(message);
  return result;
}
enum spgc_result check_before_statepoints(struct lowering *lowering, struct spgc_error *error) {
  return SPGC_OK;
}
enum spgc_result check_lowered(struct lowering *lowering, struct spgc_error *error) {
  return SPGC_OK;
}
