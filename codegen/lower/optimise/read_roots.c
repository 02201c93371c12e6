/* LLVM assumes that nobody sees a variable of the module that no instruction loads: it removes
 * stores of null there and keeps others (GlobalOpt), so the variable would keep an object alive
 * that the program let go. But collections read roots. So while LLVM optimises, a function that
 * nothing calls loads them. Their addresses do not escape by that, which would cost more. */
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/phases.h"

static const char name[] = PRELUDE_PREFIX "reader";

static bool is_local_root(LLVMValueRef variable) {
  LLVMLinkage linkage = LLVMGetLinkage(variable);
  return (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) &&
         LLVMGetFirstUse(variable) != NULL &&
         spgc_ir_type_contains_reference(LLVMGlobalGetValueType(variable));
}

enum spgc_result spgc_read_roots(struct lowering *lowering, struct spgc_error *error) {
  LLVMContextRef context = LLVMGetModuleContext(lowering->module);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  LLVMValueRef reader = LLVMAddFunction(lowering->module, name, type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, reader, ""));
  IR_EACH_GLOBAL (variable, lowering->module) {
    if (!is_local_root(variable))
      continue;
    LLVMTypeRef held = LLVMGlobalGetValueType(variable);
    LLVMSetVolatile(LLVMBuildLoad2(builder, held, variable, ""), true);
  }
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return SPGC_OK;
}

enum spgc_result spgc_forget_reader(struct lowering *lowering, struct spgc_error *error) {
  LLVMDeleteFunction(LLVMGetNamedFunction(lowering->module, name));
  return SPGC_OK;
}
