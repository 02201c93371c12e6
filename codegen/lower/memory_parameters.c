/* Copies parameters that are structures in the caller's outgoing arguments (byval) into variables
 * of the function, because references in them are roots only there. The copies are volatile, so
 * that no pass moves them behind a safepoint: LLVM knows that no call writes the arguments. Nor may
 * a tail call of the function itself become a loop, because the copies would be made in each round
 * of it, behind the poll at the entry, and the arguments of the next round would be no roots. */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/values.h"

#include <string.h>

#include <llvm-c/Target.h>

static LLVMAttributeRef byval_of(LLVMValueRef function, unsigned parameter) {
  unsigned kind = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
  return LLVMGetEnumAttributeAtIndex(function, parameter + 1, kind);
}

static unsigned alignment_of(LLVMTargetDataRef data, LLVMValueRef function, unsigned parameter,
                             LLVMTypeRef type) {
  unsigned kind = LLVMGetEnumAttributeKindForName("align", strlen("align"));
  LLVMAttributeRef given = LLVMGetEnumAttributeAtIndex(function, parameter + 1, kind);
  return given != NULL ? (unsigned)LLVMGetEnumAttributeValue(given)
                       : LLVMABIAlignmentOfType(data, type);
}

enum { SOURCE_OPERAND = 1, IS_VOLATILE_OPERAND = 3 };

static void copy(LLVMModuleRef module, LLVMValueRef function, unsigned parameter,
                 LLVMTypeRef type) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(module);
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilder(builder, entry, LLVMGetFirstInstruction(entry));
  LLVMValueRef value = LLVMGetParam(function, parameter), own = LLVMBuildAlloca(builder, type, "");
  unsigned alignment = alignment_of(data, function, parameter, type);
  LLVMSetAlignment(own, alignment);
  LLVMReplaceAllUsesWith(value, own);
  LLVMValueRef bytes =
      LLVMConstInt(LLVMInt64TypeInContext(context), LLVMABISizeOfType(data, type), false);
  LLVMValueRef made = LLVMBuildMemCpy(builder, own, alignment, value, alignment, bytes);
  LLVMSetOperand(made, IS_VOLATILE_OPERAND, LLVMConstInt(LLVMInt1TypeInContext(context), 1, false));
  LLVMDisposeBuilder(builder);
}

static void keep_calls(LLVMValueRef function) {
  static const char name[] = "disable-tail-calls", value[] = "true";
  LLVMAddAttributeAtIndex(function, IR_ON_FUNCTION,
                          LLVMCreateStringAttribute(LLVMGetTypeContext(LLVMTypeOf(function)), name,
                                                    sizeof name - 1, value, sizeof value - 1));
}

static bool is_copied(LLVMValueRef function, unsigned parameter) {
  LLVMAttributeRef byval = byval_of(function, parameter);
  return byval != NULL && spgc_ir_type_contains_reference(LLVMGetTypeAttributeValue(byval));
}

static bool is_copied_argument(LLVMValueRef argument) {
  LLVMValueRef function = LLVMGetParamParent(argument);
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (LLVMGetParam(function, i) == argument)
      return is_copied(function, i);
  return false;
}

/* True for such a copy, hidden or not, or for a part of one, because promotion splits copies. */
static bool is_copy(LLVMValueRef instruction) {
  bool transfers = spgc_ir_is_transfer(instruction);
  if (!transfers && (LLVMIsALoadInst(instruction) == NULL || !LLVMGetVolatile(instruction)))
    return false;
  LLVMValueRef source = LLVMGetOperand(instruction, transfers ? SOURCE_OPERAND : 0);
  LLVMValueRef argument = LLVMIsAArgument(spgc_ir_underlying_object(source));
  return argument != NULL && is_copied_argument(argument);
}

LLVMValueRef spgc_first_after_parameters(LLVMValueRef function) {
  LLVMValueRef first = spgc_ir_first_after_allocas(function);
  for (LLVMValueRef at = first; at != NULL && (!spgc_ir_is_call(at) || spgc_ir_call_is_leaf(at));
       at = LLVMGetNextInstruction(at))
    if (is_copy(at))
      first = LLVMGetNextInstruction(at);
  return first;
}

static LLVMValueRef last_copy(LLVMBasicBlockRef entry) {
  LLVMValueRef last = NULL;
  IR_EACH_INSTRUCTION (instruction, entry)
    if (is_copy(instruction))
      last = instruction;
  return last;
}

void spgc_copy_parameters_first(LLVMValueRef function) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  LLVMValueRef last = last_copy(entry);
  struct values calls = {0};
  for (LLVMValueRef at = LLVMGetFirstInstruction(entry); last != NULL && at != last;
       at = LLVMGetNextInstruction(at))
    if (spgc_ir_is_call(at) && !spgc_ir_call_is_leaf(at))
      spgc_values_add(&calls, at);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
  for (unsigned i = 0; i < calls.count; i++) {
    LLVMInstructionRemoveFromParent(calls.at[i]);
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(i == 0 ? last : calls.at[i - 1]));
    LLVMInsertIntoBuilder(builder, calls.at[i]);
  }
  LLVMDisposeBuilder(builder);
  spgc_values_free(&calls);
}

enum spgc_result spgc_copy_memory_parameters(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    for (unsigned i = 0; !LLVMIsDeclaration(function) && i < LLVMCountParams(function); i++)
      if (spgc_ir_function_is_managed(function) && is_copied(function, i)) {
        copy(lowering->module, function, i, LLVMGetTypeAttributeValue(byval_of(function, i)));
        keep_calls(function);
      }
  return SPGC_OK;
}
