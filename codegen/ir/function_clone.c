/* LLVM's C API cannot copy functions. */
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

/* Originals and copies have the same index. */
struct pairs {
  struct values originals, copies;
};

static void add_pair(struct pairs *pairs, LLVMValueRef original, LLVMValueRef copy) {
  spgc_values_add(&pairs->originals, original);
  spgc_values_add(&pairs->copies, copy);
}

static LLVMValueRef copy_of(const struct pairs *pairs, LLVMValueRef value) {
  unsigned place = spgc_values_find(&pairs->originals, value);
  return place < pairs->copies.count ? pairs->copies.at[place] : value;
}

static LLVMBasicBlockRef copy_of_block(const struct pairs *pairs, LLVMBasicBlockRef block) {
  return LLVMValueAsBasicBlock(copy_of(pairs, LLVMBasicBlockAsValue(block)));
}

static LLVMValueRef declare_like(LLVMValueRef function, const char *name) {
  LLVMValueRef copy =
      LLVMAddFunction(LLVMGetGlobalParent(function), name, LLVMGlobalGetValueType(function));
  LLVMSetLinkage(copy, LLVMInternalLinkage);
  LLVMSetFunctionCallConv(copy, LLVMGetFunctionCallConv(function));
  if (LLVMGetGC(function) != NULL)
    LLVMSetGC(copy, LLVMGetGC(function));
  if (LLVMHasPersonalityFn(function))
    LLVMSetPersonalityFn(copy, LLVMGetPersonalityFn(function));
  spgc_ir_copy_attributes(function, copy, IR_ON_FUNCTION);
  spgc_ir_copy_attributes_of_types(function, copy);
  return copy;
}

/* A phi's incoming blocks are not operands, so it is filled once all blocks exist. */
static LLVMValueRef copy_instruction(LLVMBuilderRef builder, LLVMValueRef instruction) {
  if (LLVMGetInstructionOpcode(instruction) == LLVMPHI)
    return LLVMBuildPhi(builder, LLVMTypeOf(instruction), "");
  LLVMValueRef copy = LLVMInstructionClone(instruction);
  LLVMInsertIntoBuilder(builder, copy);
  return copy;
}

static void copy_values(struct pairs *pairs, LLVMValueRef function, LLVMValueRef copy) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    add_pair(pairs, LLVMGetParam(function, i), LLVMGetParam(copy, i));
  IR_EACH_BLOCK (block, function) {
    LLVMBasicBlockRef copied = LLVMAppendBasicBlockInContext(context, copy, "");
    add_pair(pairs, LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(copied));
    LLVMPositionBuilderAtEnd(builder, copied);
    IR_EACH_INSTRUCTION (instruction, block)
      add_pair(pairs, instruction, copy_instruction(builder, instruction));
  }
  LLVMDisposeBuilder(builder);
}

static void connect(const struct pairs *pairs, LLVMValueRef instruction, LLVMValueRef copy) {
  if (LLVMGetInstructionOpcode(instruction) == LLVMPHI) {
    for (unsigned i = 0; i < LLVMCountIncoming(instruction); i++) {
      LLVMValueRef value = copy_of(pairs, LLVMGetIncomingValue(instruction, i));
      LLVMBasicBlockRef block = copy_of_block(pairs, LLVMGetIncomingBlock(instruction, i));
      LLVMAddIncoming(copy, &value, &block, 1);
    }
    return;
  }
  int operands = LLVMGetNumOperands(instruction);
  for (unsigned i = 0; i < (unsigned)operands; i++)
    LLVMSetOperand(copy, i, copy_of(pairs, LLVMGetOperand(instruction, i)));
}

LLVMValueRef spgc_function_clone(LLVMValueRef function, const char *name) {
  struct pairs pairs = {0};
  LLVMValueRef copy = declare_like(function, name);
  copy_values(&pairs, function, copy);
  IR_EACH_INSTRUCTION_OF (instruction, function)
    connect(&pairs, instruction, copy_of(&pairs, instruction));
  spgc_values_free(&pairs.originals);
  spgc_values_free(&pairs.copies);
  return copy;
}
