/* Exceptions: throw; try with catch and finally.
 *
 * Calls inside a try statement are invokes. Their landing pad asks the runtime for the exception,
 * an object that contains the thrown value and that no program sees. A finally block is emitted
 * once, and ends with a switch over the reason why it was entered.
 */
#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/runtime/abi.h"

enum reason { REASON_NORMAL, REASON_EXCEPTION, REASON_RETURN };

void lox_emit_throw(struct lox_emitter *emitter, const struct lox_statement *statement) {
  LLVMValueRef value = lox_box(emitter, lox_emit_expression(emitter, statement->expression));
  lox_call_error(emitter, statement->line, LOX_ENTRY_THROW, &value);
  lox_enter(emitter, lox_block(emitter, "unreachable"));
}

/* ---- Landing pads ---- */

static LLVMValueRef personality(struct lox_emitter *emitter) {
  static const char name[] = "spgc_personality";
  LLVMValueRef known = LLVMGetNamedFunction(emitter->unit->module, name);
  LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(emitter->abi->context), NULL, 0, true);
  return known ? known : LLVMAddFunction(emitter->unit->module, name, type);
}

/* Enters the pad. Returns the exception. */
static LLVMValueRef land(struct lox_emitter *emitter, LLVMBasicBlockRef pad) {
  lox_enter(emitter, pad);
  LLVMTypeRef token = LLVMTokenTypeInContext(emitter->abi->context);
  LLVMSetPersonalityFn(emitter->code, personality(emitter));
  LLVMValueRef landing = LLVMBuildLandingPad(emitter->builder, token, NULL, 1, "");
  LLVMAddClause(landing, LLVMConstNull(emitter->abi->pointer));
  return lox_call_runtime(emitter, LOX_NO_LINE, LOX_ENTRY_CATCH, NULL);
}

/* ---- finally ---- */

static LLVMValueRef reason_value(const struct lox_emitter *emitter, enum reason reason) {
  return LLVMConstInt(LLVMInt32TypeInContext(emitter->abi->context), reason, false);
}

/* The places are initialised at the function's start, so that they have a value on every path. */
static LLVMValueRef make_place(struct lox_emitter *emitter, LLVMTypeRef type, const char *name) {
  LLVMValueRef place = LLVMBuildAlloca(emitter->allocas, type, name);
  LLVMBuildStore(emitter->builder, LLVMConstNull(type), place);
  return place;
}

static void open_finally(struct lox_emitter *emitter, struct lox_finally *finally) {
  *finally =
      (struct lox_finally){.outer = emitter->finally, .block = lox_block(emitter, "finally")};
  finally->reason = make_place(emitter, LLVMInt32TypeInContext(emitter->abi->context), "reason");
  finally->exception = make_place(emitter, emitter->abi->value, "exception");
  finally->result =
      make_place(emitter, LLVMGetReturnType(LLVMGlobalGetValueType(emitter->code)), "result");
  emitter->finally = finally;
}

static void enter_finally(struct lox_emitter *emitter, const struct lox_finally *finally,
                          enum reason reason) {
  LLVMBuildStore(emitter->builder, reason_value(emitter, reason), finally->reason);
  lox_jump(emitter, finally->block);
}

void lox_return_through_finally(struct lox_emitter *emitter, LLVMValueRef result) {
  struct lox_finally *finally = emitter->finally;
  finally->returns = true;
  LLVMBuildStore(emitter->builder, result, finally->result);
  enter_finally(emitter, finally, REASON_RETURN);
}

static void go_on_returning(struct lox_emitter *emitter, const struct lox_finally *finally) {
  LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(emitter->code));
  LLVMValueRef result = LLVMBuildLoad2(emitter->builder, type, finally->result, "");
  if (emitter->finally)
    lox_return_through_finally(emitter, result);
  else
    LLVMBuildRet(emitter->builder, result);
}

static void go_on_throwing(struct lox_emitter *emitter, const struct lox_finally *finally) {
  LLVMValueRef exception =
      LLVMBuildLoad2(emitter->builder, emitter->abi->value, finally->exception, "");
  lox_call_error(emitter, LOX_NO_LINE, LOX_ENTRY_THROW_AGAIN, &exception);
}

/* Emits the block outside the statement it belongs to, and then the switch that continues according
 * to the reason. */
static void emit_finally(struct lox_emitter *emitter, const struct lox_finally *finally,
                         const struct lox_statement *finalizer, LLVMBasicBlockRef done) {
  LLVMBasicBlockRef thrown = lox_block(emitter, "finally.thrown");
  LLVMBasicBlockRef returned = lox_block(emitter, "finally.returned");
  lox_enter(emitter, finally->block);
  lox_emit_statement(emitter, finalizer);
  LLVMTypeRef int32 = LLVMInt32TypeInContext(emitter->abi->context);
  LLVMValueRef reason = LLVMBuildLoad2(emitter->builder, int32, finally->reason, "");
  LLVMValueRef choice = LLVMBuildSwitch(emitter->builder, reason, done, 2);
  LLVMAddCase(choice, reason_value(emitter, REASON_EXCEPTION), thrown);
  if (finally->returns)
    LLVMAddCase(choice, reason_value(emitter, REASON_RETURN), returned);

  lox_enter(emitter, thrown);
  go_on_throwing(emitter, finally);
  lox_enter(emitter, returned);
  if (finally->returns)
    go_on_returning(emitter, finally);
  else
    LLVMBuildUnreachable(emitter->builder);
}

/* ---- try ---- */

/* The blocks of a try statement; a block that it does not have is NULL. */
struct try_blocks {
  LLVMBasicBlockRef handler; /* landing pads, both */
  LLVMBasicBlockRef cleanup;
  LLVMBasicBlockRef done;
  struct lox_finally finally;
};

static void leave_normally(struct lox_emitter *emitter, const struct try_blocks *blocks) {
  if (blocks->cleanup)
    enter_finally(emitter, &blocks->finally, REASON_NORMAL);
  else
    lox_jump(emitter, blocks->done);
}

static void emit_handler(struct lox_emitter *emitter, const struct lox_statement *statement,
                         const struct try_blocks *blocks) {
  uint32_t outer = emitter->locals.count;
  LLVMValueRef exception = land(emitter, blocks->handler);
  LLVMValueRef value = lox_load(emitter, emitter->abi->value, exception, LOX_EXCEPTION_VALUE);
  lox_define_local(emitter, statement->try_.caught.variable, lox_any(value), statement->line);
  lox_emit_statement(emitter, statement->try_.handler);
  emitter->locals.count = outer;
  leave_normally(emitter, blocks);
}

static void emit_cleanup(struct lox_emitter *emitter, const struct try_blocks *blocks) {
  LLVMValueRef exception = land(emitter, blocks->cleanup);
  LLVMBuildStore(emitter->builder, exception, blocks->finally.exception);
  enter_finally(emitter, &blocks->finally, REASON_EXCEPTION);
}

void lox_emit_try(struct lox_emitter *emitter, const struct lox_statement *statement) {
  LLVMBasicBlockRef outer_pad = emitter->pad;
  struct try_blocks blocks = {.done = lox_block(emitter, "try.done")};
  if (statement->try_.finalizer) {
    blocks.cleanup = lox_block(emitter, "try.cleanup");
    open_finally(emitter, &blocks.finally);
  }
  LLVMBasicBlockRef pad_of_handler = blocks.cleanup ? blocks.cleanup : outer_pad;
  if (statement->try_.handler)
    blocks.handler = lox_block(emitter, "try.handler");

  emitter->pad = blocks.handler ? blocks.handler : pad_of_handler;
  lox_emit_statement(emitter, statement->try_.body);
  leave_normally(emitter, &blocks);

  emitter->pad = pad_of_handler;
  if (blocks.handler)
    emit_handler(emitter, statement, &blocks);

  emitter->pad = outer_pad;
  if (blocks.cleanup) {
    emitter->finally = blocks.finally.outer;
    emit_cleanup(emitter, &blocks);
    emit_finally(emitter, &blocks.finally, statement->try_.finalizer, blocks.done);
  }
  lox_enter(emitter, blocks.done);
}
