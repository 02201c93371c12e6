#include "codegen/ir/write.h"

#include "codegen/ir/freshness.h"
#include "codegen/ir/ir.h"

struct write spgc_write_of(LLVMValueRef instruction) {
  if (LLVMIsAStoreInst(instruction) || spgc_ir_is_intrinsic(instruction, "llvm.masked.store.") ||
      spgc_ir_is_intrinsic(instruction, "llvm.masked.compressstore."))
    return (struct write){LLVMGetOperand(instruction, 1), LLVMGetOperand(instruction, 0)};
  if (LLVMIsAAtomicRMWInst(instruction))
    return (struct write){LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 1)};
  if (LLVMIsAAtomicCmpXchgInst(instruction))
    return (struct write){LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 2)};
  return (struct write){0};
}

/* Bytes of a constant of the program contain no reference to an object. */
static bool copies_constant(LLVMValueRef transfer) {
  LLVMValueRef source = spgc_ir_underlying_object(LLVMGetOperand(transfer, 1));
  return LLVMIsAGlobalVariable(source) != NULL && LLVMIsGlobalConstant(source);
}

static bool may_write_object(struct write write) {
  return write.address != NULL && spgc_ir_is_reference(write.address) &&
         spgc_ir_type_contains_reference(LLVMTypeOf(write.value)) &&
         !spgc_ir_is_never_an_object(write.value);
}

LLVMValueRef spgc_field_to_mark(struct safepoints *placed, LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  LLVMValueRef field = may_write_object(write) ? write.address : NULL;
  if (spgc_ir_is_memory_transfer(instruction) &&
      spgc_ir_is_reference(LLVMGetOperand(instruction, 0)) && !copies_constant(instruction))
    field = LLVMGetOperand(instruction, 0);
  return field != NULL && !spgc_is_fresh_target(placed, field, instruction) ? field : NULL;
}
