#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/variable.h"

static const struct objection interior = {
    2,
    "an interior pointer is stored in a local variable that is in memory, and its contents count "
    "as the address of an object",
    "keep the object and an index instead, or do not pass the variable's address on (make the "
    "function that takes it always_inline)"};

/* Variables of managed functions, and stores of interior pointers into any function's: managed code
 * reads what others store. */
const struct objection *spgc_check_variable(LLVMValueRef instruction) {
  LLVMValueRef alloca = LLVMIsAAllocaInst(instruction);
  struct write write = spgc_write_of(instruction);
  bool stores = write.address != NULL && spgc_ir_is_derived(write.value);
  if (stores)
    alloca = spgc_ir_underlying_alloca(write.address);
  if (alloca == NULL)
    return NULL;
  struct variable variable;
  spgc_variable_read(alloca, LLVMGetModuleDataLayout(spgc_ir_module_of(alloca)), &variable);
  if (stores && variable.run_count != 0)
    return &interior;
  return spgc_ir_function_is_managed(spgc_ir_function_of(alloca)) ? variable.objection : NULL;
}
