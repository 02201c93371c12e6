/* Keeps the words of "deopt" state apart from references.
 *
 * Instruction selection merges a word with a reference that it is cast from, or that is loaded from
 * the same place. A statepoint relocates the reference, and LLVM then crashes or emits wrong code.
 * So such a word comes out of assembly without instructions, which LLVM does not look into. It is
 * the number of the moment before the call.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"

enum { WORD_BITS = 64 };

static bool is_word(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == WORD_BITS) ||
         (kind == LLVMPointerTypeKind && !spgc_ir_type_is_reference(type));
}

/* True unless the word has a register, or an operation, of its own. */
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
  spgc_ir_call_add_string_attribute(copy, "gc-leaf-function");
  return copy;
}

static void part_state(LLVMBuilderRef builder, LLVMValueRef call, unsigned first, unsigned count) {
  for (unsigned i = first; i < first + count; i++) {
    LLVMValueRef value = LLVMGetOperand(call, i);
    if (!may_be_merged(value))
      continue;
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetOperand(call, i, copy_of(builder, value));
  }
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

enum spgc_result spgc_part_states(struct lowering *lowering, struct spgc_error *error) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(lowering->module));
  IR_EACH_FUNCTION (function, lowering->module) {
    if (!spgc_ir_function_is_managed(function))
      continue;
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (spgc_ir_is_call(instruction) && spgc_ir_call_has_bundle(instruction, "deopt"))
          part_states(builder, instruction);
  }
  LLVMDisposeBuilder(builder);
  return SPGC_OK;
}
