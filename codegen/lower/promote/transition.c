/* Calls with a "gc-transition" bundle: the callee is unmanaged code that waits or takes long, and
 * collections run meanwhile without the calling thread.
 *
 *   %r = call T @f(args) [ "gc-transition"(...) ]
 *
 * becomes three steps: callee and arguments are stored in a frame on the stack; the statepoint
 *
 *   call ptr @spgc_call_blocking(ptr @spgc.transition, ptr %frame)
 *
 * runs; the result is loaded from the frame. @spgc.transition, one for each such call, is unmanaged
 * and makes the actual call.
 */
#include <stdlib.h>

#include "codegen/check/reject.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/processor.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

/* Fields of the frame: the callee, the arguments, the result (if there is one). */
struct transition {
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMValueRef call;
  LLVMTypeRef callee_type, frame;
  unsigned arguments;
  bool has_result;
};

enum { CALLEE_FIELD, FIRST_ARGUMENT_FIELD };

static LLVMTypeRef frame_type(const struct transition *transition) {
  unsigned count = FIRST_ARGUMENT_FIELD + transition->arguments + transition->has_result;
  LLVMTypeRef *fields = spgc_zeroed(count, sizeof(LLVMTypeRef));
  fields[CALLEE_FIELD] = LLVMPointerTypeInContext(transition->context, 0);
  LLVMGetParamTypes(transition->callee_type, fields + FIRST_ARGUMENT_FIELD);
  if (transition->has_result)
    fields[count - 1] = LLVMGetReturnType(transition->callee_type);
  LLVMTypeRef frame = LLVMStructTypeInContext(transition->context, fields, count, false);
  free(fields);
  return frame;
}

static LLVMValueRef field(const struct transition *transition, LLVMBuilderRef builder,
                          LLVMValueRef frame, unsigned index) {
  return LLVMBuildStructGEP2(builder, transition->frame, frame, index, "");
}

static LLVMValueRef load_field(const struct transition *transition, LLVMBuilderRef builder,
                               LLVMValueRef frame, unsigned index) {
  LLVMTypeRef type = LLVMStructGetTypeAtIndex(transition->frame, index);
  return LLVMBuildLoad2(builder, type, field(transition, builder, frame, index), "");
}

static void call_callee(const struct transition *transition, LLVMBuilderRef builder,
                        LLVMValueRef frame) {
  LLVMValueRef *arguments = spgc_zeroed(transition->arguments, sizeof(LLVMValueRef));
  for (unsigned i = 0; i < transition->arguments; i++)
    arguments[i] = load_field(transition, builder, frame, FIRST_ARGUMENT_FIELD + i);
  LLVMValueRef callee = load_field(transition, builder, frame, CALLEE_FIELD);
  LLVMValueRef call = LLVMBuildCall2(builder, transition->callee_type, callee, arguments,
                                     transition->arguments, "");
  LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(transition->call));
  /* byval, zeroext and the like are part of how the callee is called. */
  spgc_ir_copy_attributes_of_types(transition->call, call);
  if (transition->has_result)
    LLVMBuildStore(builder, call,
                   field(transition, builder, frame, FIRST_ARGUMENT_FIELD + transition->arguments));
  free(arguments);
}

/* Makes a function ptr (ptr frame), as spgc_call_blocking expects it. */
static LLVMValueRef unmanaged_function(const struct transition *transition) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(transition->context, 0);
  LLVMTypeRef type = LLVMFunctionType(pointer, &pointer, 1, false);
  LLVMValueRef function = LLVMAddFunction(transition->module, PRELUDE_PREFIX "transition", type);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(transition->context);
  LLVMPositionBuilderAtEnd(builder,
                           LLVMAppendBasicBlockInContext(transition->context, function, ""));
  call_callee(transition, builder, LLVMGetParam(function, 0));
  LLVMBuildRet(builder, LLVMConstNull(pointer));
  LLVMDisposeBuilder(builder);
  return function;
}

/* spgc_call_blocking does all that a transition is. Its call has no such bundle, for which LLVM has
 * no code on AArch64. The only other bundle that a statepoint keeps is "deopt". */
static LLVMValueRef blocking_call(const struct transition *transition, LLVMBuilderRef builder,
                                  LLVMValueRef frame) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(transition->context, 0),
              parameters[] = {pointer, pointer};
  LLVMTypeRef type = LLVMFunctionType(pointer, parameters, 2, false);
  LLVMValueRef function = LLVMGetNamedFunction(transition->module, "spgc_call_blocking");
  if (function == NULL)
    function = LLVMAddFunction(transition->module, "spgc_call_blocking", type);
  LLVMValueRef arguments[] = {unmanaged_function(transition), frame};
  LLVMOperandBundleRef state = spgc_ir_call_bundle(transition->call, "deopt");
  LLVMValueRef call = LLVMBuildCallWithOperandBundles(builder, type, function, arguments, 2, &state,
                                                      state != NULL, "");
  if (state != NULL)
    LLVMDisposeOperandBundle(state);
  static const char id[] = "statepoint-id";
  LLVMAttributeRef attribute =
      LLVMGetCallSiteStringAttribute(transition->call, IR_ON_FUNCTION, id, sizeof id - 1);
  if (attribute != NULL)
    LLVMAddCallSiteAttribute(call, IR_ON_FUNCTION, attribute);
  return call;
}

/* The frame is in the entry block, so that a loop does not take more of the stack each time. */
static LLVMValueRef allocate_frame(const struct transition *transition, LLVMBuilderRef builder) {
  LLVMPositionBuilderBefore(builder,
                            spgc_ir_first_instruction(spgc_ir_function_of(transition->call)));
  return LLVMBuildAlloca(builder, transition->frame, "");
}

static void expand(LLVMModuleRef module, LLVMValueRef call) {
  struct transition transition = {.module = module,
                                  .context = LLVMGetModuleContext(module),
                                  .call = call,
                                  .callee_type = LLVMGetCalledFunctionType(call),
                                  .arguments = LLVMGetNumArgOperands(call)};
  transition.has_result =
      LLVMGetTypeKind(LLVMGetReturnType(transition.callee_type)) != LLVMVoidTypeKind;
  transition.frame = frame_type(&transition);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(transition.context);
  LLVMValueRef frame = allocate_frame(&transition, builder);
  LLVMPositionBuilderBefore(builder, call);
  LLVMBuildStore(builder, LLVMGetCalledValue(call),
                 field(&transition, builder, frame, CALLEE_FIELD));
  for (unsigned i = 0; i < transition.arguments; i++)
    LLVMBuildStore(builder, LLVMGetArgOperand(call, i),
                   field(&transition, builder, frame, FIRST_ARGUMENT_FIELD + i));
  blocking_call(&transition, builder, frame);
  if (transition.has_result)
    LLVMReplaceAllUsesWith(
        call, load_field(&transition, builder, frame, FIRST_ARGUMENT_FIELD + transition.arguments));
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(builder);
}

/* In code for another collector the bundles stay. LLVM ends the process for a target that has no
 * code for them (llvm issue 61264). */
static enum spgc_result check_kept(const struct values *calls, struct spgc_error *error) {
  static const struct objection objection = {
      31, "LLVM has no code for a \"gc-transition\" on this processor",
      "call a function of your runtime that makes the call"};
  return calls->count == 0 ||
                 spgc_processor_of_module(spgc_ir_module_of(calls->at[0]))->has_transitions
             ? SPGC_OK
             : spgc_reject(calls->at[0], NULL, &objection, error);
}

enum spgc_result spgc_expand_transitions(struct lowering *lowering, struct spgc_error *error) {
  struct values calls = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function))
      IR_EACH_INSTRUCTION_OF (instruction, function)
        if (spgc_ir_is_call(instruction) && spgc_ir_call_has_bundle(instruction, "gc-transition"))
          spgc_values_add(&calls, instruction);
  enum spgc_result result = SPGC_OK;
  if (spgc_is_foreign(lowering))
    result = check_kept(&calls, error);
  else
    for (unsigned i = 0; i < calls.count; i++)
      expand(lowering->module, calls.at[i]);
  spgc_values_free(&calls);
  return result;
}
