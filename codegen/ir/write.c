#include "codegen/ir/write.h"

#include "codegen/ir/ir.h"

struct write spgc_write_of(LLVMValueRef instruction) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  if (opcode == LLVMStore ||
      (opcode == LLVMCall && (spgc_ir_is_intrinsic(instruction, "llvm.masked.store.") ||
                              spgc_ir_is_intrinsic(instruction, "llvm.masked.compressstore."))))
    return (struct write){LLVMGetOperand(instruction, 1), LLVMGetOperand(instruction, 0)};
  if (opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg)
    return (struct write){LLVMGetOperand(instruction, 0),
                          LLVMGetOperand(instruction, opcode == LLVMAtomicRMW ? 1 : 2)};
  return (struct write){0};
}
