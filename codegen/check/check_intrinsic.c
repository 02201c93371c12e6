/* Allowed intrinsics are listed, because one that writes references into objects needs a barrier,
 * and RS4GC assumes that a result is an object's own address. */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"

static bool takes_references(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetArgOperand(call, i))))
      return true;
  return false;
}

/* llvm::MemoryEffects has two bits for each kind of memory; the upper means writing. */
static bool may_write(LLVMValueRef intrinsic) {
  enum { WRITES = 0xAAAA };
  LLVMAttributeRef memory = spgc_ir_attribute_at(intrinsic, IR_ON_FUNCTION, "memory");
  return memory == NULL || (LLVMGetEnumAttributeValue(memory) & WRITES) != 0;
}

/* Barriers know what these write, and they return bases or their arguments. */
static bool is_known(LLVMValueRef call) {
  static const char *const known[] = {"llvm.memcpy.",
                                      "llvm.memmove.",
                                      "llvm.memset.",
                                      "llvm.masked.load.",
                                      "llvm.masked.store.",
                                      "llvm.masked.gather.",
                                      "llvm.masked.scatter.",
                                      "llvm.prefetch",
                                      "llvm.lifetime.",
                                      "llvm.invariant.",
                                      "llvm.assume",
                                      "llvm.dbg.",
                                      "llvm.launder.",
                                      "llvm.strip.",
                                      "llvm.var.annotation",
                                      "llvm.ptr.annotation",
                                      "llvm.ptrmask.",
                                      "llvm.vector.insert",
                                      "llvm.vector.extract",
                                      "llvm.vector.reverse",
                                      "llvm.fake.use",
                                      "llvm.experimental.patchpoint",
                                      "llvm.experimental.stackmap",
                                      "llvm.threadlocal.address"};
  return IR_NAME_STARTS_WITH_ANY(spgc_ir_callee(call), known);
}

const struct objection *spgc_check_intrinsic(LLVMValueRef call) {
  static const struct objection unknown = {
      44,
      "this intrinsic may write references without a barrier, or its result may be a reference "
      "that is not the address of an object",
      "use loads, stores, phis, selects and shuffles, and masked loads and stores"};
  bool returns = spgc_ir_type_contains_reference(LLVMTypeOf(call));
  return spgc_ir_is_any_intrinsic(call) && !is_known(call) &&
                 (returns || (takes_references(call) && may_write(spgc_ir_callee(call))))
             ? &unknown
             : NULL;
}
