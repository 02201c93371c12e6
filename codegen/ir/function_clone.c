#include "codegen/ir/function_clone.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

/* The copy of each value: pairs sorted by the original's address. */
struct pair {
  LLVMValueRef original, copy;
};

struct pairs {
  struct pair *at;
  size_t count;
};

static int compare_pairs(const void *a, const void *b) {
  LLVMValueRef left = ((const struct pair *)a)->original,
               right = ((const struct pair *)b)->original;
  return left < right ? -1 : left > right;
}

static LLVMValueRef copy_of(const struct pairs *pairs, LLVMValueRef value) {
  const struct pair wanted = {value, NULL};
  const struct pair *found =
      bsearch(&wanted, pairs->at, pairs->count, sizeof wanted, compare_pairs);
  return found == NULL ? value : found->copy;
}

static LLVMBasicBlockRef copy_of_block(const struct pairs *pairs, LLVMBasicBlockRef block) {
  return LLVMValueAsBasicBlock(copy_of(pairs, LLVMBasicBlockAsValue(block)));
}

void spgc_function_copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex index) {
  unsigned count = LLVMGetAttributeCountAtIndex(from, index);
  LLVMAttributeRef *attributes = spgc_zeroed(count, sizeof(LLVMAttributeRef));
  LLVMGetAttributesAtIndex(from, index, attributes);
  for (unsigned i = 0; i < count; i++)
    LLVMAddAttributeAtIndex(to, index, attributes[i]);
  free((void *)attributes);
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
  spgc_function_copy_attributes(function, copy, IR_ON_FUNCTION);
  for (unsigned i = 0; i <= LLVMCountParams(function); i++) /* 0 is the result */
    spgc_function_copy_attributes(function, copy, i);
  return copy;
}

static size_t count_values(LLVMValueRef function) {
  size_t count = LLVMCountParams(function);
  IR_EACH_BLOCK (block, function) {
    count++;
    IR_EACH_INSTRUCTION (instruction, block)
      count++;
  }
  return count;
}

/* A phi's incoming blocks are not operands, so a phi is made anew, and filled in when all blocks
 * exist. */
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
    pairs->at[pairs->count++] = (struct pair){LLVMGetParam(function, i), LLVMGetParam(copy, i)};
  IR_EACH_BLOCK (block, function) {
    LLVMBasicBlockRef copied = LLVMAppendBasicBlockInContext(context, copy, "");
    pairs->at[pairs->count++] =
        (struct pair){LLVMBasicBlockAsValue(block), LLVMBasicBlockAsValue(copied)};
    LLVMPositionBuilderAtEnd(builder, copied);
    IR_EACH_INSTRUCTION (instruction, block)
      pairs->at[pairs->count++] =
          (struct pair){instruction, copy_instruction(builder, instruction)};
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
  struct pairs pairs = {spgc_zeroed(count_values(function), sizeof(struct pair)), 0};
  LLVMValueRef copy = declare_like(function, name);
  copy_values(&pairs, function, copy);
  qsort(pairs.at, pairs.count, sizeof *pairs.at, compare_pairs);
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      connect(&pairs, instruction, copy_of(&pairs, instruction));
  free(pairs.at);
  return copy;
}
