#include "frontend-demo/emit/tree.h"
#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/fast.h"
#include "support/fatal.h"

void lox_emit_statements(struct lox_emitter *emitter, const struct lox_statement_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    lox_emit_statement(emitter, list->items[i]);
}

static void emit_printing(struct lox_emitter *emitter, const struct lox_statement *statement,
                          enum lox_entry entry) {
  LLVMValueRef value = lox_box(emitter, lox_emit_expression(emitter, statement->expression));
  lox_call_runtime(emitter, statement->line, entry, &value);
}

static void emit_var(struct lox_emitter *emitter, const struct lox_statement *statement) {
  const struct lox_expression *initializer = statement->var.initializer;
  struct lox_value value =
      initializer ? lox_emit_expression(emitter, initializer) : lox_nil(emitter);
  lox_define(emitter, &statement->var.target, value, statement->line);
}

/* Stored before its captures are filled, because it may capture itself. */
static void emit_function_declaration(struct lox_emitter *emitter,
                                      const struct lox_statement *statement) {
  const struct lox_function *function = statement->function.function;
  const struct lox_reference *target = &statement->function.target;
  LLVMValueRef closure = lox_make_closure(emitter, function, statement->line);
  lox_define(emitter, target, lox_any(closure), statement->line);
  emitter->source->unit->functions[function->index].definitions_before =
      lox_definitions_before(emitter);
  if (target->kind == LOX_REFERENCE_LOCAL && target->variable->assigned_count == 0)
    emitter->source->homes[target->variable->index].function = function;
  lox_fill_closure(emitter, function, closure);
}

static void emit_if(struct lox_emitter *emitter, const struct lox_statement *statement) {
  LLVMBasicBlockRef then = lox_block(emitter, "then");
  LLVMBasicBlockRef otherwise = lox_block(emitter, "else");
  LLVMBasicBlockRef done = lox_block(emitter, "endif");
  lox_emit_condition(emitter, statement->if_.condition, then, otherwise);

  lox_enter(emitter, then);
  lox_emit_statement(emitter, statement->if_.then_branch);
  lox_jump(emitter, done);

  lox_enter(emitter, otherwise);
  if (statement->if_.else_branch)
    lox_emit_statement(emitter, statement->if_.else_branch);
  lox_jump(emitter, done);
  lox_enter(emitter, done);
}

/* The lowering omits polls from loops that call a safepoint. In a session all loops poll, so that
 * the user can end them. */
static void emit_loop(struct lox_emitter *emitter, const struct lox_expression *condition,
                      const struct lox_statement *body, const struct lox_expression *increment) {
  LLVMBasicBlockRef test = lox_block(emitter, "loop");
  LLVMBasicBlockRef inside = lox_block(emitter, "body");
  LLVMBasicBlockRef done = lox_block(emitter, "endloop");
  lox_jump(emitter, test);

  lox_enter(emitter, test);
  if (condition)
    lox_emit_condition(emitter, condition, inside, done);
  else
    lox_jump(emitter, inside);

  lox_enter(emitter, inside);
  if (emitter->source->unit->session)
    lox_poll(emitter);
  lox_emit_statement(emitter, body);
  if (increment)
    lox_emit_expression(emitter, increment);
  lox_jump(emitter, test);
  lox_enter(emitter, done);
}

static void emit_for(struct lox_emitter *emitter, const struct lox_statement *statement) {
  if (statement->for_.initializer)
    lox_emit_statement(emitter, statement->for_.initializer);
  emit_loop(emitter, statement->for_.condition, statement->for_.body, statement->for_.increment);
}

static void emit_return(struct lox_emitter *emitter, const struct lox_expression *expression) {
  if (expression) {
    struct lox_value value = lox_emit_expression(emitter, expression);
    lox_emit_return(emitter, &value);
  } else {
    lox_emit_return(emitter, NULL);
  }
  lox_enter(emitter, lox_block(emitter, "unreachable"));
}

static void emit_class(struct lox_emitter *emitter, const struct lox_class *class_) {
  struct lox_value superclass = lox_nil(emitter);
  if (class_->superclass)
    superclass = lox_emit_expression(emitter, class_->superclass);
  lox_emit_class(emitter, class_, superclass);
}

static void emit_throw(struct lox_emitter *emitter, const struct lox_statement *statement) {
  LLVMValueRef value = lox_box(emitter, lox_emit_expression(emitter, statement->expression));
  lox_call_error(emitter, statement->line, LOX_ENTRY_THROW, &value);
  lox_enter(emitter, lox_block(emitter, "unreachable"));
}

/* The block is outside its try statement. The switch over the reason ends it. */
static void emit_finally(struct lox_emitter *emitter, const struct lox_finally *finally,
                         const struct lox_statement *finalizer, LLVMBasicBlockRef done) {
  LLVMBasicBlockRef thrown = lox_block(emitter, "finally.thrown");
  LLVMBasicBlockRef returned = lox_block(emitter, "finally.returned");
  lox_enter(emitter, finally->block);
  lox_emit_statement(emitter, finalizer);
  LLVMTypeRef int32 = LLVMInt32TypeInContext(emitter->abi->context);
  LLVMValueRef reason = LLVMBuildLoad2(emitter->builder, int32, finally->reason, "");
  LLVMValueRef choice = LLVMBuildSwitch(emitter->builder, reason, done, 2);
  LLVMAddCase(choice, lox_reason_value(emitter, LOX_REASON_EXCEPTION), thrown);
  if (finally->returns)
    LLVMAddCase(choice, lox_reason_value(emitter, LOX_REASON_RETURN), returned);

  lox_enter(emitter, thrown);
  lox_go_on_throwing(emitter, finally);
  lox_enter(emitter, returned);
  if (finally->returns)
    lox_go_on_returning(emitter, finally);
  else
    LLVMBuildUnreachable(emitter->builder);
}

/* NULL without such a block. */
struct try_blocks {
  LLVMBasicBlockRef handler; /* landing pads, both */
  LLVMBasicBlockRef cleanup;
  LLVMBasicBlockRef done;
  struct lox_finally finally;
};

static void leave_normally(struct lox_emitter *emitter, const struct try_blocks *blocks) {
  if (blocks->cleanup)
    lox_enter_finally(emitter, &blocks->finally, LOX_REASON_NORMAL);
  else
    lox_jump(emitter, blocks->done);
}

static void emit_handler(struct lox_emitter *emitter, const struct lox_statement *statement,
                         const struct try_blocks *blocks) {
  LLVMValueRef exception = lox_land(emitter, blocks->handler);
  LLVMValueRef value = lox_load(emitter, emitter->abi->value, exception, LOX_EXCEPTION_VALUE);
  lox_define_local(emitter, statement->try_.caught.variable, lox_any(value), statement->line);
  lox_emit_statement(emitter, statement->try_.handler);
  leave_normally(emitter, blocks);
}

static void emit_cleanup(struct lox_emitter *emitter, const struct try_blocks *blocks) {
  LLVMValueRef exception = lox_land(emitter, blocks->cleanup);
  LLVMBuildStore(emitter->builder, exception, blocks->finally.exception);
  lox_enter_finally(emitter, &blocks->finally, LOX_REASON_EXCEPTION);
}

static void emit_try(struct lox_emitter *emitter, const struct lox_statement *statement) {
  LLVMBasicBlockRef outer_pad = emitter->pad;
  struct try_blocks blocks = {.done = lox_block(emitter, "try.done")};
  if (statement->try_.finalizer) {
    blocks.cleanup = lox_block(emitter, "try.cleanup");
    lox_open_finally(emitter, &blocks.finally);
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

static const char *const stop_attributes[] = {"convergent", "noduplicate", "nounwind"};

/* Without this instruction, the optimiser may copy a statement's beginning into the previous one's
 * slow paths, so that a breakpoint has no single place. */
static void emit_stop(struct lox_emitter *emitter) {
  static const char nop[] = "nop";
  const struct lox_abi *abi = emitter->abi;
  LLVMTypeRef type = LLVMFunctionType(abi->nothing, NULL, 0, false);
  LLVMValueRef code = LLVMGetInlineAsm(type, nop, sizeof nop - 1, "", 0, true, false,
                                       LLVMInlineAsmDialectATT, false);
  LLVMValueRef stop = LLVMBuildCall2(emitter->builder, type, code, NULL, 0, "");
  for (size_t i = 0; i < sizeof stop_attributes / sizeof *stop_attributes; i++)
    LLVMAddCallSiteAttribute(stop, LOX_ON_THE_FUNCTION, lox_abi_attribute(abi, stop_attributes[i]));
  LLVMAddCallSiteAttribute(stop, LOX_ON_THE_FUNCTION,
                           lox_abi_string_attribute(abi, "gc-leaf-function", ""));
}

void lox_emit_statement(struct lox_emitter *emitter, const struct lox_statement *statement) {
  lox_at_line(emitter, statement->line);
  if (emitter->source->unit->has_stops && statement->type != LOX_BLOCK)
    emit_stop(emitter);
  switch (statement->type) {
  case LOX_EXPRESSION: lox_emit_expression(emitter, statement->expression); return;
  case LOX_PRINT: emit_printing(emitter, statement, LOX_ENTRY_PRINT); return;
  case LOX_ECHO: emit_printing(emitter, statement, LOX_ENTRY_ECHO); return;
  case LOX_VAR: emit_var(emitter, statement); return;
  case LOX_BLOCK: lox_emit_statements(emitter, &statement->block); return;
  case LOX_IF: emit_if(emitter, statement); return;
  case LOX_WHILE:
    emit_loop(emitter, statement->while_.condition, statement->while_.body, NULL);
    return;
  case LOX_FOR: emit_for(emitter, statement); return;
  case LOX_THROW: emit_throw(emitter, statement); return;
  case LOX_TRY: emit_try(emitter, statement); return;
  case LOX_RETURN: emit_return(emitter, statement->value); return;
  case LOX_FUNCTION: emit_function_declaration(emitter, statement); return;
  case LOX_CLASS: emit_class(emitter, statement->class_); return;
  }
  spgc_fatal("statement of type %d", (int)statement->type);
}
