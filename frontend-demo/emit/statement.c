#include "frontend-demo/backend/emitter.h"
#include "support/fatal.h"

void lox_emit_statements(struct lox_emitter *emitter, const struct lox_statement_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    lox_emit_statement(emitter, list->items[i]);
}

static void emit_block(struct lox_emitter *emitter, const struct lox_statement *statement) {
  uint32_t outer = emitter->locals.count;
  lox_emit_statements(emitter, &statement->block);
  emitter->locals.count = outer;
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

/* The closure is stored in its variable before its captures are filled in, because it may capture
 * itself. */
static void emit_function_declaration(struct lox_emitter *emitter,
                                      const struct lox_statement *statement) {
  const struct lox_function *function = statement->function.function;
  const struct lox_reference *target = &statement->function.target;
  LLVMValueRef closure = lox_make_closure(emitter, function, statement->line);
  lox_define(emitter, target, lox_any(closure), statement->line);
  if (target->kind == LOX_REFERENCE_LOCAL && target->variable->assigned_count == 0)
    emitter->homes[target->variable->index].function = function;
  lox_fill_closure(emitter, function, closure);
  lox_emit_function(emitter->unit, function);
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

/* while (condition) { body; increment; }
 *
 * The lowering omits polls from loops that call a safepoint. In a session all loops poll, because
 * the user must be able to end them.
 */
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
  if (emitter->unit->session)
    lox_poll(emitter);
  lox_emit_statement(emitter, body);
  if (increment)
    lox_emit_expression(emitter, increment);
  lox_jump(emitter, test);
  lox_enter(emitter, done);
}

static void emit_for(struct lox_emitter *emitter, const struct lox_statement *statement) {
  uint32_t outer = emitter->locals.count;
  if (statement->for_.initializer)
    lox_emit_statement(emitter, statement->for_.initializer);
  emit_loop(emitter, statement->for_.condition, statement->for_.body, statement->for_.increment);
  emitter->locals.count = outer;
}

static const char *const stop_attributes[] = {"convergent", "noduplicate", "nounwind"};

/* Emits an instruction where a debugger stops on the statement's line. Without it, the optimiser
 * may copy a statement's first instructions, such as the load of a header, into the slow paths of
 * the statement before, and then no single place is always passed. It does not copy this
 * instruction. */
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
  if (emitter->unit->has_stops && statement->type != LOX_BLOCK)
    emit_stop(emitter);
  switch (statement->type) {
  case LOX_EXPRESSION: lox_emit_expression(emitter, statement->expression); return;
  case LOX_PRINT: emit_printing(emitter, statement, LOX_ENTRY_PRINT); return;
  case LOX_ECHO: emit_printing(emitter, statement, LOX_ENTRY_ECHO); return;
  case LOX_VAR: emit_var(emitter, statement); return;
  case LOX_BLOCK: emit_block(emitter, statement); return;
  case LOX_IF: emit_if(emitter, statement); return;
  case LOX_WHILE:
    emit_loop(emitter, statement->while_.condition, statement->while_.body, NULL);
    return;
  case LOX_FOR: emit_for(emitter, statement); return;
  case LOX_THROW: lox_emit_throw(emitter, statement); return;
  case LOX_TRY: lox_emit_try(emitter, statement); return;
  case LOX_RETURN: lox_emit_return(emitter, statement->value); return;
  case LOX_FUNCTION: emit_function_declaration(emitter, statement); return;
  case LOX_CLASS: lox_emit_class(emitter, statement->class_); return;
  }
  spgc_fatal("statement of type %d", (int)statement->type);
}
