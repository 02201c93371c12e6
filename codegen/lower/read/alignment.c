/* Objects are aligned to words, but a type may need more (vectors of references, long double,
 * __int128, structures that the program aligns), and the processor faults if an access claims too
 * much. So every access to an object, and every promise about a reference, is limited to a word. */
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

/* `index` is an attribute's. */
static LLVMTypeRef type_at(LLVMValueRef value, LLVMAttributeIndex index) {
  if (index != LLVMAttributeReturnIndex)
    return LLVMTypeOf(spgc_ir_parameter(value, index - 1));
  return LLVMIsAFunction(value) ? LLVMGetReturnType(LLVMGlobalGetValueType(value))
                                : LLVMTypeOf(value);
}

static void clamp_promises(LLVMValueRef value) {
  for (LLVMAttributeIndex i = LLVMAttributeReturnIndex; i <= spgc_ir_parameter_count(value); i++) {
    LLVMAttributeRef promise = spgc_ir_attribute_at(value, i, "align");
    if (promise != NULL && LLVMGetEnumAttributeValue(promise) > IR_WORD &&
        spgc_ir_type_contains_reference(type_at(value, i)))
      spgc_ir_set_attribute(value, i, "align", IR_WORD);
  }
}

/* A masked access has its alignment in an operand; since LLVM 22 in the pointer's attribute. */
static void clamp_masked(LLVMValueRef call) {
  bool loads = spgc_ir_is_intrinsic(call, "llvm.masked.load.") ||
               spgc_ir_is_intrinsic(call, "llvm.masked.gather.");
  bool stores = spgc_ir_is_intrinsic(call, "llvm.masked.store.") ||
                spgc_ir_is_intrinsic(call, "llvm.masked.scatter.");
  if (!loads && !stores)
    return;
  unsigned pointer = loads ? 0 : 1;
  LLVMValueRef alignment = LLVMGetOperand(call, pointer + 1);
  if (LLVMGetTypeKind(LLVMTypeOf(alignment)) == LLVMIntegerTypeKind &&
      spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetOperand(call, pointer))) &&
      LLVMConstIntGetZExtValue(alignment) > IR_WORD)
    LLVMSetOperand(call, pointer + 1, LLVMConstInt(LLVMTypeOf(alignment), IR_WORD, false));
}

static bool assumes_of_reference(LLVMValueRef call) {
  bool found = false;
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call) && !found; i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    found = spgc_ir_bundle_is(bundle, "align") &&
            spgc_ir_is_any_reference(LLVMGetOperandBundleArgAtIndex(bundle, 0));
    LLVMDisposeOperandBundle(bundle);
  }
  return found;
}

static void clamp(LLVMValueRef instruction) {
  LLVMValueRef address = spgc_ir_address_accessed(instruction);
  if (address != NULL && spgc_ir_is_reference(address) && LLVMGetAlignment(instruction) > IR_WORD)
    LLVMSetAlignment(instruction, IR_WORD);
  if (LLVMIsALoadInst(instruction) && spgc_ir_is_reference(instruction))
    spgc_ir_unmark(instruction, "align");
  if (!spgc_ir_is_call(instruction))
    return;
  clamp_promises(instruction);
  clamp_masked(instruction);
  if (spgc_ir_is_intrinsic(instruction, "llvm.assume") && assumes_of_reference(instruction))
    LLVMInstructionEraseFromParent(instruction);
}

enum spgc_result spgc_clamp_alignments(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module) {
    clamp_promises(function);
    IR_EACH_INSTRUCTION_OF (instruction, function)
      clamp(instruction);
  }
  return SPGC_OK;
}
