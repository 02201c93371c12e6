#include "codegen/ir/variable.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/storage.h"

static bool add_words(void *context, uint64_t offset, uint64_t words) {
  struct variable *variable = context;
  struct variable_run *last =
      variable->run_count != 0 ? &variable->runs[variable->run_count - 1] : NULL;
  if (offset % IR_WORD != 0)
    variable->fault = VARIABLE_MISALIGNED;
  else if (last != NULL && last->offset + IR_WORD * last->words == offset)
    last->words += words;
  else if (variable->run_count < VARIABLE_MOST_RUNS)
    variable->runs[variable->run_count++] = (struct variable_run){offset, words};
  else
    variable->fault = VARIABLE_SCATTERED;
  return variable->fault == VARIABLE_CAN_BE_ROOT;
}

static enum variable_fault fault_of(LLVMValueRef alloca) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(alloca);
  if (LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)) == NULL)
    return VARIABLE_DYNAMIC;
  return block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)) ? VARIABLE_CAN_BE_ROOT
                                                                         : VARIABLE_LATE;
}

void spgc_variable_read(LLVMValueRef alloca, LLVMTargetDataRef data, struct variable *variable) {
  LLVMTypeRef type = LLVMGetAllocatedType(alloca);
  variable->alloca = alloca;
  variable->fault = VARIABLE_CAN_BE_ROOT;
  variable->run_count = 0;
  if (!spgc_ir_type_contains_reference(type))
    return;
  variable->fault = fault_of(alloca);
  if (variable->fault != VARIABLE_CAN_BE_ROOT)
    return;
  uint64_t size = LLVMABISizeOfType(data, type);
  uint64_t count = LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0));
  for (uint64_t i = 0; i < count && variable->fault == VARIABLE_CAN_BE_ROOT; i++)
    spgc_storage_each_reference(data, type, i * size, add_words, variable);
}
