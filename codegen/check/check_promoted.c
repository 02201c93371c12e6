/* The rule for local variables that promotion leaves in memory: their references are in words that
 * statepoints can list. */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/variable.h"

static const struct objection interior = {
    2,
    "an interior pointer is stored in a local variable that is in memory, and the collector takes "
    "its contents for the address of an object",
    "keep the object and an index instead, or do not give the variable's address away (make the "
    "function that takes it always_inline)"};

/* True if the user stores an interior pointer to some part of the variable. */
static bool stores_interior(LLVMValueRef user, LLVMValueRef alloca) {
  return LLVMIsAStoreInst(user) && spgc_ir_underlying_alloca(LLVMGetOperand(user, 1)) == alloca &&
         spgc_ir_is_derived(LLVMGetOperand(user, 0));
}

static LLVMValueRef find_interior_store(LLVMValueRef alloca) {
  LLVMValueRef function = spgc_ir_function_of(alloca);
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (stores_interior(instruction, alloca))
      return instruction;
  return NULL;
}

const struct objection *spgc_check_variable(LLVMValueRef alloca, LLVMValueRef *culprit) {
  struct variable variable;
  spgc_variable_read(alloca, LLVMGetModuleDataLayout(spgc_ir_module_of(alloca)), &variable);
  *culprit = alloca;
  if (variable.objection != NULL || variable.run_count == 0)
    return variable.objection;
  LLVMValueRef store = find_interior_store(alloca);
  if (store != NULL)
    *culprit = store;
  return store != NULL ? &interior : NULL;
}
