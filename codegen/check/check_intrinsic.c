/* Rules for intrinsics.
 *
 * Two properties of an intrinsic must be known: whether it writes a reference into an object,
 * because that takes a barrier, and whether its result is an object's own address, because RS4GC
 * takes the result of every call for one. So allowed intrinsics are listed, and all others are
 * refused.
 */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"

static bool takes_references(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetArgOperand(call, i))))
      return true;
  return false;
}

/* llvm::MemoryEffects: two bits for each kind of memory, the upper one for writing. */
static bool may_write(LLVMValueRef intrinsic) {
  enum { WRITES = 0xAAAA };
  LLVMAttributeRef memory = spgc_ir_attribute_at(intrinsic, IR_ON_FUNCTION, "memory");
  return memory == NULL || (LLVMGetEnumAttributeValue(memory) & WRITES) != 0;
}

/* Barriers know the references that the listed intrinsics write, or these write none into
 * objects. */
static bool writes_are_known(LLVMValueRef call) {
  static const char *const known[] = {"llvm.memcpy.",
                                      "llvm.memmove.",
                                      "llvm.memset.",
                                      "llvm.masked.store.",
                                      "llvm.masked.scatter.",
                                      "llvm.prefetch",
                                      "llvm.lifetime.",
                                      "llvm.invariant.",
                                      "llvm.assume",
                                      "llvm.dbg.",
                                      "llvm.launder.",
                                      "llvm.var.annotation",
                                      "llvm.ptr.annotation",
                                      "llvm.fake.use",
                                      "llvm.experimental.gc.",
                                      "llvm.experimental.patchpoint",
                                      "llvm.experimental.stackmap",
                                      "llvm.experimental.deoptimize",
                                      "llvm.experimental.guard",
                                      "llvm.threadlocal.address",
                                      "llvm.coro.",
                                      "llvm.gcroot",
                                      "llvm.gcread",
                                      "llvm.gcwrite"};
  return !takes_references(call) || !may_write(spgc_ir_callee(call)) ||
         IR_NAME_STARTS_WITH_ANY(spgc_ir_callee(call), known);
}

static bool results_are_known(LLVMValueRef call) {
  static const char *const known[] = {"llvm.masked.load.",
                                      "llvm.masked.gather.",
                                      "llvm.launder.",
                                      "llvm.strip.",
                                      "llvm.ssa.copy",
                                      "llvm.ptr.annotation",
                                      "llvm.ptrmask.",
                                      "llvm.vector.insert",
                                      "llvm.vector.extract",
                                      "llvm.vector.reverse",
                                      "llvm.experimental.gc.",
                                      "llvm.experimental.patchpoint",
                                      "llvm.experimental.deoptimize",
                                      "llvm.gcread",
                                      "llvm.threadlocal.address",
                                      "llvm.coro."};
  return !spgc_ir_type_contains_reference(LLVMTypeOf(call)) ||
         IR_NAME_STARTS_WITH_ANY(spgc_ir_callee(call), known);
}

static bool no_predicated_references(LLVMValueRef call) {
  bool predicated =
      spgc_ir_is_intrinsic(call, "llvm.vp.") || spgc_ir_is_intrinsic(call, "llvm.experimental.vp.");
  return !predicated ||
         !((takes_references(call) || spgc_ir_type_contains_reference(LLVMTypeOf(call))));
}

static const struct rule intrinsic_rules[] = {
    RULE(no_predicated_references, 44,
         "vector-predicated intrinsics leave lanes undefined, which may be addresses of objects "
         "that moved",
         "use masked loads and stores"),
    RULE(writes_are_known, 44,
         "there is no write barrier for references that this intrinsic may write",
         "store references one by one"),
    RULE(results_are_known, 44, "the result of this intrinsic need not be the address of an object",
         "use loads, phis, selects and shuffles"),
};

const struct objection *spgc_check_intrinsic(LLVMValueRef call) {
  return spgc_ir_is_any_intrinsic(call) ? FIRST_OBJECTION(intrinsic_rules, call) : NULL;
}
