/* Removes the declarations of intrinsics that nothing calls.
 *
 * LLVM reads modules of earlier releases, and rewrites the calls of intrinsics that have changed
 * since. It may leave a declaration behind whose name and type belong to no intrinsic. Its verifier
 * lets that pass, until the prelude is linked: the linker gives each intrinsic the attributes of
 * its kind, and those do not fit.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"

enum spgc_result spgc_drop_unused_intrinsics(struct lowering *lowering, struct spgc_error *error) {
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next; function != NULL;
       function = next) {
    next = LLVMGetNextFunction(function);
    if (LLVMGetIntrinsicID(function) != 0 && LLVMGetFirstUse(function) == NULL)
      LLVMDeleteFunction(function);
  }
  return SPGC_OK;
}
