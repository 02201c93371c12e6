/* A linker keeps one copy of a comdat, but the stack map section, which is in none, describes every
 * function of its module. So each module keeps its own code. The weak symbol alone decides which
 * copy runs. */
#include <llvm-c/Comdat.h>

#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

/* Variables that only their own module can name leave with the functions that refer to them. */
enum spgc_result spgc_leave_comdats(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (LLVMGetComdat(function) != NULL &&
        (spgc_ir_function_is_managed(function) || spgc_ir_is_local(function)))
      LLVMSetComdat(function, NULL);
  IR_EACH_GLOBAL (variable, lowering->module)
    if (LLVMGetComdat(variable) != NULL && spgc_ir_is_local(variable))
      LLVMSetComdat(variable, NULL);
  return SPGC_OK;
}
