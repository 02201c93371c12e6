#include "frontend-demo/emit/emitter.h"

#include <inttypes.h>
#include <stdio.h>

#include "frontend-demo/runtime/abi.h"
#include "support/fatal.h"

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
  if (unit->debug && (is_script || code == codes->code || code == codes->number_code))
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
  return lox_add_code_of_type(unit, lox_abi_code_type(&unit->abi, value_count), prefix, name);
}

LLVMValueRef lox_add_code_of_type(struct lox_unit_emitter *unit, LLVMTypeRef type,
                                  const char *prefix, const char *name) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "%s%s", prefix, name);
  LLVMValueRef code = LLVMAddFunction(unit->module, symbol, type);
  LLVMSetLinkage(code, LLVMInternalLinkage);
  LLVMSetGC(code, "statepoint-example");
  /* A stack trace has one line per call in progress, and endless recursion overflows the stack. */
  LLVMAddAttributeAtIndex(code, LOX_ON_THE_FUNCTION, lox_abi_attribute(&unit->abi, "noinline"));
  LLVMAddAttributeAtIndex(code, LOX_ON_THE_FUNCTION,
                          lox_abi_string_attribute(&unit->abi, "disable-tail-calls", "true"));
  return code;
}

uint64_t lox_call_site(const struct lox_emitter *emitter, int line) {
  uint64_t number = emitter->unit->functions[emitter->function->index].number;
  return line == LOX_NO_LINE ? LOX_HIDDEN_CALL_SITE : lox_call_site_id(number, (uint64_t)line);
}

static void set_call_site(struct lox_emitter *emitter, LLVMValueRef call, int line) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, lox_call_site(emitter, line));
  LLVMAddCallSiteAttribute(call, LOX_ON_THE_FUNCTION,
                           lox_abi_string_attribute(emitter->abi, "statepoint-id", text));
}

/* Where an exception would go on in this function, the call ends its block. */
static LLVMValueRef build_bare_call(struct lox_emitter *emitter, LLVMTypeRef type,
                                    LLVMValueRef function, LLVMValueRef *arguments, uint32_t count,
                                    LLVMOperandBundleRef *bundle) {
  unsigned bundles = *bundle != NULL;
  if (!emitter->pad)
    return LLVMBuildCallWithOperandBundles(emitter->builder, type, function, arguments, count,
                                           bundle, bundles, "");
  LLVMBasicBlockRef next = lox_block(emitter, "returned");
  LLVMValueRef call = LLVMBuildInvokeWithOperandBundles(
      emitter->builder, type, function, arguments, count, next, emitter->pad, bundle, bundles, "");
  lox_enter(emitter, next);
  return call;
}

static LLVMValueRef build_call(struct lox_emitter *emitter, int line, LLVMTypeRef type,
                               LLVMValueRef function, LLVMValueRef *arguments, uint32_t count) {
  LLVMOperandBundleRef locals = line != LOX_NO_LINE ? lox_describe_locals(emitter) : NULL;
  LLVMValueRef call = build_bare_call(emitter, type, function, arguments, count, &locals);
  if (locals)
    LLVMDisposeOperandBundle(locals);
  set_call_site(emitter, call, line);
  return call;
}

LLVMValueRef lox_call_code(struct lox_emitter *emitter, int line, LLVMTypeRef type,
                           LLVMValueRef code, LLVMValueRef *arguments, uint32_t count) {
  return build_call(emitter, line, type, code, arguments, count);
}

void lox_return_result(struct lox_emitter *emitter, LLVMValueRef result) {
  bool is_last =
      LLVMIsACallInst(result) && LLVMGetLastInstruction(lox_current_block(emitter)) == result;
  LLVMTypeRef type = LLVMGlobalGetValueType(emitter->code);
  bool is_tail_call = emitter->abi->code_values != 0 && is_last &&
                      LLVMCountParamTypes(type) == emitter->abi->code_values &&
                      LLVMGetCalledFunctionType(result) == type;
  if (is_tail_call)
    LLVMSetTailCallKind(result, LLVMTailCallKindMustTail);
  LLVMBuildRet(emitter->builder, result);
}

LLVMValueRef lox_call_runtime(struct lox_emitter *emitter, int line, enum lox_entry entry,
                              LLVMValueRef *arguments) {
  struct lox_callee callee = lox_abi_entry(emitter->abi, emitter->unit->module, entry);
  uint32_t count = LLVMCountParamTypes(callee.type);
  if (lox_abi_entry_calls(entry) == LOX_CALLS_LEAF)
    return LLVMBuildCall2(emitter->builder, callee.type, callee.function, arguments, count, "");
  return build_call(emitter, line, callee.type, callee.function, arguments, count);
}

void lox_poll(struct lox_emitter *emitter) {
  struct lox_callee poll = lox_abi_entry(emitter->abi, emitter->unit->module, LOX_ENTRY_POLL);
  LLVMBuildCall2(emitter->builder, poll.type, poll.function, NULL, 0, "");
}

void lox_call_error(struct lox_emitter *emitter, int line, enum lox_entry entry,
                    LLVMValueRef *arguments) {
  spgc_require(lox_abi_entry_calls(entry) == LOX_CALLS_NEVER_BACK, "entry point %d returns",
               (int)entry);
  lox_call_runtime(emitter, line, entry, arguments);
  LLVMBuildUnreachable(emitter->builder);
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
