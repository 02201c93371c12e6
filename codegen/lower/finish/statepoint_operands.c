/* Passes operands of statepoints through empty assembly, so that instruction selection does not
 * merge them with other values.
 * - Words of "deopt" state: a word cast from a reference, or loaded from the same place, would be
 *   merged with it. A statepoint relocates the reference, and LLVM then crashes or emits wrong
 *   code. The copy is the number just before the call.
 * - The callee: LLVM calls the first result of its node. A structure's node (a parameter, the
 *   result of a call, a load) has a result for each part, so the statepoint would always call the
 *   first part. */
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

enum { WORD_BITS = 64 };

static bool is_word(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == WORD_BITS) ||
         (kind == LLVMPointerTypeKind && !spgc_ir_type_is_reference(type));
}

/* False if the word has its own register or operation. */
static bool may_be_merged(LLVMValueRef value) {
  return LLVMIsAInstruction(value) != NULL && is_word(LLVMTypeOf(value)) &&
         !spgc_ir_is_call(value) && LLVMIsAPHINode(value) == NULL &&
         LLVMIsABinaryOperator(value) == NULL;
}

static LLVMValueRef copy_of(LLVMBuilderRef builder, LLVMValueRef word) {
  static const char constraints[] = "=r,0";
  LLVMTypeRef type = LLVMTypeOf(word);
  LLVMTypeRef function = LLVMFunctionType(type, &type, 1, false);
  LLVMValueRef assembly = LLVMGetInlineAsm(function, "", 0, constraints, sizeof constraints - 1,
                                           false, false, LLVMInlineAsmDialectATT, false);
  LLVMValueRef copy = LLVMBuildCall2(builder, function, assembly, &word, 1, "");
  spgc_ir_add_string(copy, "gc-leaf-function");
  return copy;
}

/* False if the value is certainly its node's first result. Address arithmetic, casts and intrinsics
 * that compute nothing have no node. */
static bool may_be_part(LLVMValueRef callee) {
  bool is_call = spgc_ir_is_call(callee) && !spgc_ir_is_any_intrinsic(callee);
  return LLVMIsAInstruction(callee) != NULL && !is_call && LLVMIsAPHINode(callee) == NULL &&
         LLVMIsALoadInst(callee) == NULL;
}

static void part(LLVMBuilderRef builder, LLVMValueRef call, unsigned operand) {
  LLVMPositionBuilderBefore(builder, call);
  LLVMSetOperand(call, operand, copy_of(builder, LLVMGetOperand(call, operand)));
}

static void part_state(LLVMBuilderRef builder, LLVMValueRef call, unsigned first, unsigned count) {
  for (unsigned i = first; i < first + count; i++)
    if (may_be_merged(LLVMGetOperand(call, i)))
      part(builder, call, i);
}

/* The operands of bundles follow the arguments. */
static void part_states(LLVMBuilderRef builder, LLVMValueRef call) {
  unsigned first = LLVMGetNumArgOperands(call);
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call); i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    unsigned count = LLVMGetNumOperandBundleArgs(bundle);
    if (spgc_ir_bundle_is(bundle, "deopt"))
      part_state(builder, call, first, count);
    first += count;
    LLVMDisposeOperandBundle(bundle);
  }
}

/* The code generator itself makes statepoints of calls with "deopt" state. */
void spgc_part_operands(struct lowering *lowering, LLVMValueRef call) {
  enum { CALLEE = 2 };
  if (!spgc_ir_is_call(call))
    return;
  bool is_statepoint = spgc_ir_is_statepoint(call);
  bool has_state = spgc_ir_call_has_bundle(call, "deopt");
  unsigned callee = is_statepoint ? CALLEE : (unsigned)LLVMGetNumOperands(call) - 1;
  if ((is_statepoint || has_state) && may_be_part(LLVMGetOperand(call, callee)))
    part(lowering->builder, call, callee);
  if (has_state)
    part_states(lowering->builder, call);
}
