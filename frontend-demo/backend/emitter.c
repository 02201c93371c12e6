#include "frontend-demo/backend/emitter.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>

void lox_emitter_begin(struct lox_emitter *emitter, const struct lox_abi *abi, LLVMModuleRef module,
                       LLVMValueRef code) {
  *emitter = (struct lox_emitter){.abi = abi, .module = module, .code = code};
  emitter->builder = LLVMCreateBuilderInContext(abi->context);
  emitter->allocas = LLVMCreateBuilderInContext(abi->context);
  LLVMPositionBuilderAtEnd(emitter->allocas, lox_block(emitter, "entry"));
  emitter->start = lox_block(emitter, "start");
  lox_enter(emitter, emitter->start);
}

void lox_emitter_end(struct lox_emitter *emitter) {
  LLVMBuildBr(emitter->allocas, emitter->start);
  LLVMDisposeBuilder(emitter->allocas);
  LLVMDisposeBuilder(emitter->builder);
}

int lox_at_line(struct lox_emitter *emitter, int line) {
  int before = emitter->line;
  if (emitter->scope && line != before) {
    LLVMContextRef context = emitter->abi->context;
    LLVMMetadataRef location =
        LLVMDIBuilderCreateDebugLocation(context, (unsigned)line, 0, emitter->scope, NULL);
    LLVMSetCurrentDebugLocation2(emitter->builder, location);
  }
  emitter->line = line;
  return before;
}

LLVMValueRef lox_add_code(const struct lox_abi *abi, LLVMModuleRef module, uint32_t value_count,
                          const char *prefix, const char *name) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
  LLVMValueRef code = LLVMAddFunction(module, symbol, lox_abi_code_type(abi, value_count));
  LLVMSetLinkage(code, LLVMInternalLinkage);
  LLVMSetGC(code, "statepoint-example");
  /* Stack traces need a line for each call, and endless recursion must overflow the stack. */
  LLVMAddAttributeAtIndex(code, LOX_ON_THE_FUNCTION, lox_abi_attribute(abi, "noinline"));
  LLVMAddAttributeAtIndex(code, LOX_ON_THE_FUNCTION,
                          lox_abi_string_attribute(abi, "disable-tail-calls", "true"));
  return code;
}

LLVMBasicBlockRef lox_block(struct lox_emitter *emitter, const char *name) {
  return LLVMAppendBasicBlockInContext(emitter->abi->context, emitter->code, name);
}

LLVMBasicBlockRef lox_current_block(const struct lox_emitter *emitter) {
  return LLVMGetInsertBlock(emitter->builder);
}

void lox_enter(struct lox_emitter *emitter, LLVMBasicBlockRef block) {
  LLVMPositionBuilderAtEnd(emitter->builder, block);
}

void lox_jump(struct lox_emitter *emitter, LLVMBasicBlockRef target) {
  LLVMBuildBr(emitter->builder, target);
}

void lox_branch(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef then,
                LLVMBasicBlockRef otherwise) {
  LLVMBuildCondBr(emitter->builder, condition, then, otherwise);
}

void lox_branch_likely(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef then,
                       LLVMBasicBlockRef otherwise) {
  LLVMValueRef branch = LLVMBuildCondBr(emitter->builder, condition, then, otherwise);
  LLVMSetMetadata(branch, emitter->abi->likely_kind, emitter->abi->likely);
}

void lox_guard(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef otherwise) {
  LLVMBasicBlockRef next = lox_block(emitter, "guarded");
  lox_branch_likely(emitter, condition, next, otherwise);
  lox_enter(emitter, next);
}

LLVMValueRef lox_phi(struct lox_emitter *emitter, LLVMValueRef a, LLVMBasicBlockRef from_a,
                     LLVMValueRef b, LLVMBasicBlockRef from_b) {
  LLVMValueRef phi = LLVMBuildPhi(emitter->builder, LLVMTypeOf(a), "");
  LLVMAddIncoming(phi, &a, &from_a, 1);
  LLVMAddIncoming(phi, &b, &from_b, 1);
  return phi;
}
