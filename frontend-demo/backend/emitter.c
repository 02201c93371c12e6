#include "frontend-demo/backend/emitter.h"

#include <stdio.h>

void lox_emitter_begin(struct lox_emitter *emitter, struct lox_unit_emitter *unit,
                       const struct lox_function *function, LLVMValueRef code) {
  *emitter =
      (struct lox_emitter){.unit = unit, .abi = &unit->abi, .function = function, .code = code};
  emitter->homes = unit->functions[function->index].homes;
  emitter->builder = LLVMCreateBuilderInContext(unit->abi.context);
  emitter->allocas = LLVMCreateBuilderInContext(unit->abi.context);
  LLVMPositionBuilderAtEnd(emitter->allocas, lox_block(emitter, "entry"));
  emitter->start = lox_block(emitter, "start");
  lox_enter(emitter, emitter->start);
  const struct lox_function_code *codes = &unit->functions[function->index];
  bool is_script = function == unit->program->script;
  if (unit->debug && (is_script || code == codes->code))
    emitter->scope = lox_debug_function(unit->debug, function, code);
  lox_at_line(emitter, function->line);
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

LLVMValueRef lox_add_code(struct lox_unit_emitter *unit, uint32_t value_count, const char *prefix,
                          const char *name) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
  LLVMValueRef code =
      LLVMAddFunction(unit->module, symbol, lox_abi_code_type(&unit->abi, value_count));
  LLVMSetLinkage(code, LLVMInternalLinkage);
  LLVMSetGC(code, "statepoint-example");
  /* A stack trace needs a line for each call in progress, and endless recursion must overflow the
   * stack. */
  LLVMAddAttributeAtIndex(code, LOX_ON_THE_FUNCTION, lox_abi_attribute(&unit->abi, "noinline"));
  LLVMAddAttributeAtIndex(code, LOX_ON_THE_FUNCTION,
                          lox_abi_string_attribute(&unit->abi, "disable-tail-calls", "true"));
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

/* The script runs as it is emitted. Code of a function runs only after its closure was made. */
uint32_t lox_definitions_before(const struct lox_emitter *emitter) {
  const struct lox_unit_emitter *unit = emitter->unit;
  return emitter->function == unit->program->script
             ? unit->definition_count
             : unit->functions[emitter->function->index].definitions_before;
}

bool lox_is_defined(const struct lox_emitter *emitter, const struct lox_global *global) {
  uint32_t defined_at = emitter->unit->globals[global->index].defined_at;
  return defined_at != 0 && defined_at <= lox_definitions_before(emitter);
}
