/* Code for another collector (SPGC_BARRIERS_NONE). A poll (a call of spgc.poll) calls
 * gc.safepoint_poll, LLVM's name for the function that polls, if the module has it. The body is
 * made first, because the optimiser would remove a function that nothing calls. */
#include <stdbool.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

static const char poll_of_frontend[] = "gc.safepoint_poll";

/* Other names belong to the lowering and to LLVM. */
static bool may_be_barrier(const char *name) {
  return *name != '\0' && strncmp(name, "llvm.", 5) != 0 &&
         strncmp(name, PRELUDE_PREFIX, sizeof PRELUDE_PREFIX - 1) != 0;
}

enum spgc_result spgc_check_barriers(const struct spgc_lower_options *options,
                                     struct spgc_error *error) {
  if (options->barriers == SPGC_BARRIERS_NONE && options->code == SPGC_CODE_JIT)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "the JIT loads code for this collector only; lower code without barriers "
                          "ahead of time");
  if (options->barriers == SPGC_BARRIERS_NONE && options->check_numbers)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "check_numbers needs this collector's runtime; omit it without barriers");
  const char *load_barrier = options->load_barrier;
  if (load_barrier != NULL && options->barriers != SPGC_BARRIERS_NONE)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "this collector has no load barrier; give load_barrier with "
                          "SPGC_BARRIERS_NONE (--barriers=none)");
  if (load_barrier != NULL && !may_be_barrier(load_barrier))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "load_barrier is '%.80s'; give the name of a function of your runtime",
                          load_barrier);
  return SPGC_OK;
}

static bool is_poll(LLVMValueRef function) {
  return function != NULL && LLVMCountParams(function) == 0 &&
         LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(function))) == LLVMVoidTypeKind;
}

/* The poll itself must not be polled. */
static void call_poll(LLVMBuilderRef builder, LLVMValueRef poll) {
  LLVMSetGC(poll, NULL);
  if (!LLVMIsDeclaration(poll)) {
    spgc_ir_remove_attribute(poll, "noinline");
    spgc_ir_remove_attribute(poll, "optnone");
    spgc_ir_add_attribute(poll, "alwaysinline");
  }
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(poll), poll, NULL, 0, "");
}

enum spgc_result spgc_take_polls(struct lowering *lowering, struct spgc_error *error) {
  LLVMModuleRef module = lowering->module;
  if (!spgc_is_foreign(lowering))
    return SPGC_OK;
  LLVMValueRef own = LLVMGetNamedFunction(module, poll_of_frontend);
  if (own != NULL && !is_poll(own))
    return spgc_error_set(error, SPGC_ERROR_REJECTED, 0,
                          "function '%s': a poll takes and returns nothing; declare void @%s()",
                          poll_of_frontend, poll_of_frontend);
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMValueRef poll = LLVMAddFunction(
      module, "spgc.poll", LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false));
  spgc_ir_add_attribute(poll, "alwaysinline");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, poll, ""));
  if (own != NULL)
    call_poll(builder, own);
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return SPGC_OK;
}
