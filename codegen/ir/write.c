#include "codegen/ir/write.h"

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
