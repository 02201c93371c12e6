/* Every call that may throw or collect has its function and line as statepoint ID. */
#include <inttypes.h>
#include <stdio.h>

#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/backend/require.h"

static void set_call_site(struct lox_emitter *emitter, LLVMValueRef call, int line) {
  char text[24];
  uint64_t id = emitter->abi->language->call_site(emitter->number, line);
  snprintf(text, sizeof text, "%" PRIu64, id);
  LLVMAddCallSiteAttribute(call, LOX_ON_THE_FUNCTION,
                           lox_abi_string_attribute(emitter->abi, "statepoint-id", text));
}

static LLVMValueRef build_call(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef code,
                               LLVMValueRef *arguments, uint32_t count) {
  if (!emitter->pad)
    return LLVMBuildCall2(emitter->builder, type, code, arguments, count, "");
  LLVMBasicBlockRef next = lox_block(emitter, "returned");
  LLVMValueRef call =
      LLVMBuildInvoke2(emitter->builder, type, code, arguments, count, next, emitter->pad, "");
  lox_enter(emitter, next);
  return call;
}

LLVMValueRef lox_call_code(struct lox_emitter *emitter, int line, LLVMTypeRef type,
                           LLVMValueRef code, LLVMValueRef *arguments, uint32_t count) {
  LLVMValueRef call = build_call(emitter, type, code, arguments, count);
  set_call_site(emitter, call, line);
  return call;
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

LLVMValueRef lox_call_runtime(struct lox_emitter *emitter, int line, unsigned entry,
                              LLVMValueRef *arguments) {
  struct lox_callee callee = lox_abi_entry(emitter->abi, emitter->module, entry);
  uint32_t count = LLVMCountParamTypes(callee.type);
  if (lox_abi_entry_calls(emitter->abi, entry) == LOX_CALLS_LEAF)
    return LLVMBuildCall2(emitter->builder, callee.type, callee.function, arguments, count, "");
  return lox_call_code(emitter, line, callee.type, callee.function, arguments, count);
}

void lox_poll(struct lox_emitter *emitter) {
  struct lox_callee poll =
      lox_abi_entry(emitter->abi, emitter->module, emitter->abi->language->poll);
  LLVMBuildCall2(emitter->builder, poll.type, poll.function, NULL, 0, "");
}

void lox_call_error(struct lox_emitter *emitter, int line, unsigned entry,
                    LLVMValueRef *arguments) {
  lox_require(lox_abi_entry_calls(emitter->abi, entry) == LOX_CALLS_NEVER_BACK,
              "entry point %u returns", entry);
  lox_call_runtime(emitter, line, entry, arguments);
  LLVMBuildUnreachable(emitter->builder);
}
