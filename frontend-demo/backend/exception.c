/* Calls inside a try statement are invokes. A switch over the reason for entering it ends a finally
 * block. */
#include <stddef.h>

#include "frontend-demo/backend/emitter.h"

static LLVMValueRef personality(struct lox_emitter *emitter) {
  static const char name[] = "spgc_personality";
  LLVMValueRef known = LLVMGetNamedFunction(emitter->module, name);
  LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(emitter->abi->context), NULL, 0, true);
  return known ? known : LLVMAddFunction(emitter->module, name, type);
}

LLVMValueRef lox_land(struct lox_emitter *emitter, LLVMBasicBlockRef pad) {
  lox_enter(emitter, pad);
  LLVMTypeRef token = LLVMTokenTypeInContext(emitter->abi->context);
  LLVMSetPersonalityFn(emitter->code, personality(emitter));
  LLVMValueRef landing = LLVMBuildLandingPad(emitter->builder, token, NULL, 1, "");
  LLVMAddClause(landing, LLVMConstNull(emitter->abi->pointer));
  return lox_call_runtime(emitter, LOX_NO_LINE, emitter->abi->language->catch, NULL);
}

LLVMValueRef lox_reason_value(const struct lox_emitter *emitter, enum lox_reason reason) {
  return LLVMConstInt(LLVMInt32TypeInContext(emitter->abi->context), reason, false);
}

/* Initialised first, so that it has a value on every path. */
static LLVMValueRef make_place(struct lox_emitter *emitter, LLVMTypeRef type, const char *name) {
  LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, type, name);
  LLVMBuildStore(emitter->builder, LLVMConstNull(type), place);
  return place;
}

void lox_open_finally(struct lox_emitter *emitter, struct lox_finally *finally) {
  *finally =
      (struct lox_finally){.outer = emitter->finally, .block = lox_block(emitter, "finally")};
  finally->reason = make_place(emitter, LLVMInt32TypeInContext(emitter->abi->context), "reason");
  finally->exception = make_place(emitter, emitter->abi->value, "exception");
  finally->result = make_place(emitter, emitter->abi->value, "result");
  emitter->finally = finally;
}

void lox_enter_finally(struct lox_emitter *emitter, const struct lox_finally *finally,
                       enum lox_reason reason) {
  LLVMBuildStore(emitter->builder, lox_reason_value(emitter, reason), finally->reason);
  lox_jump(emitter, finally->block);
}

void lox_return_through_finally(struct lox_emitter *emitter, LLVMValueRef result) {
  struct lox_finally *finally = emitter->finally;
  finally->returns = true;
  LLVMBuildStore(emitter->builder, result, finally->result);
  lox_enter_finally(emitter, finally, LOX_REASON_RETURN);
}

void lox_go_on_returning(struct lox_emitter *emitter, const struct lox_finally *finally) {
  LLVMValueRef result = LLVMBuildLoad2(emitter->builder, emitter->abi->value, finally->result, "");
  if (emitter->finally)
    lox_return_through_finally(emitter, result);
  else
    LLVMBuildRet(emitter->builder, result);
}

void lox_go_on_throwing(struct lox_emitter *emitter, const struct lox_finally *finally) {
  LLVMValueRef exception =
      LLVMBuildLoad2(emitter->builder, emitter->abi->value, finally->exception, "");
  lox_call_error(emitter, LOX_NO_LINE, emitter->abi->language->throw_again, &exception);
}
