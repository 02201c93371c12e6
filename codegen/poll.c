/* Polls: where a thread that runs long comes to a safepoint. */
#include "codegen/ir.h"
#include "codegen/lower.h"
#include "codegen/prelude.h"

#include "support/fatal.h"

static bool has_safepoint(LLVMValueRef function) {
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (ir_is_call(instruction) && !ir_call_is_leaf(instruction))
        return true;
  return false;
}

static bool calls_itself_in_tail_position(LLVMValueRef function) {
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (LLVMIsACallInst(instruction) && LLVMGetTailCallKind(instruction) == LLVMTailCallKindMustTail)
        return true;
  return false;
}

static void poll_at_entry(LLVMValueRef function) {
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  LLVMValueRef poll = LLVMGetNamedFunction(module, "spgc.poll");
  spgc_require(poll != NULL, "the prelude is not linked");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  LLVMPositionBuilderBefore(builder, ir_first_after_allocas(function));
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(poll), poll, NULL, 0, "");
  LLVMDisposeBuilder(builder);
}

/* A function that calls nothing cannot recur: it ends soon, or it has a loop, and that is polled. */
static void poll_entries(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module)
    if (!LLVMIsDeclaration(function) && ir_function_is_managed(function) &&
        (has_safepoint(function) || calls_itself_in_tail_position(function)))
      poll_at_entry(function);
}

enum spgc_result place_polls(struct lowering *lowering, struct spgc_error *error) {
  if (lowering->options->polls == SPGC_POLLS_ENTRIES_AND_LOOPS)
    poll_entries(lowering->module);
  run_passes(lowering, "function(place-safepoints)");
  return SPGC_OK;
}
