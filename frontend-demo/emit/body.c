#include "frontend-demo/emit/tree.h"
#include "frontend-demo/fast/fast.h"

/* First, while the frame holds nothing. A function without calls needs no check. */
static void emit_stack_check(struct lox_emitter *emitter) {
  LLVMBasicBlockRef overflow = lox_block(emitter, "overflow");
  LLVMValueRef is_low = lox_call_runtime(emitter, LOX_NO_LINE, LOX_ENTRY_STACK_LOW, NULL);
  lox_guard(emitter, LLVMBuildNot(emitter->builder, is_low, ""), overflow);
  LLVMBasicBlockRef body = lox_current_block(emitter);

  lox_enter(emitter, overflow);
  lox_call_error(emitter, LOX_NO_LINE, LOX_ENTRY_ERROR_STACK_OVERFLOW, NULL);
  lox_enter(emitter, body);
}

static void define_parameters(struct lox_emitter *emitter) {
  const struct lox_function *function = emitter->source->function;
  uint32_t count = lox_value_count(function);
  LLVMValueRef passed[2 + UINT8_MAX];
  for (uint32_t i = 1; i < count; i++)
    passed[i] = LLVMGetParam(emitter->code, i);
  for (uint32_t i = 1; i < count; i++) {
    const struct lox_variable *variable = function->variables[i - 1];
    lox_define_local(emitter, variable, lox_any(passed[i]), function->line);
  }
}

/* Compile time grows faster than a function's size, and a script may be long. So it becomes
 * functions of a few statements each, which share only global variables and are called in order.
 * Stack traces omit these calls. */
enum { PART_STATEMENTS = 32 };

static LLVMValueRef emit_part(struct lox_unit_emitter *unit,
                              const struct lox_statement_list *statements) {
  const struct lox_function *script = unit->program->script;
  LLVMValueRef part =
      lox_add_code(&unit->abi, unit->module, 1, "part.", lox_function_display_name(script));
  struct lox_emitter emitter;
  lox_begin_function(&emitter, unit, script, part);
  lox_emit_statements(&emitter, statements);
  LLVMBuildRet(emitter.builder, lox_nil(&emitter).llvm);
  lox_emitter_end(&emitter);
  return part;
}

static void emit_script(struct lox_emitter *emitter) {
  const struct lox_statement_list *all = &emitter->source->function->body;
  if (all->count <= PART_STATEMENTS) {
    lox_emit_statements(emitter, all);
    return;
  }
  for (uint32_t first = 0; first < all->count; first += PART_STATEMENTS) {
    uint32_t left = all->count - first;
    struct lox_statement_list statements = {
        .items = &all->items[first], .count = left < PART_STATEMENTS ? left : PART_STATEMENTS};
    LLVMValueRef part = emit_part(emitter->source->unit, &statements);
    LLVMValueRef closure = LLVMGetParam(emitter->code, 0);
    lox_at_line(emitter, statements.items[0]->line);
    lox_call_words(emitter, LOX_NO_LINE, part, &closure, 1);
  }
}

static void emit_body(struct lox_emitter *emitter) {
  if (emitter->source->function == emitter->source->unit->program->script)
    emit_script(emitter);
  else
    lox_emit_statements(emitter, &emitter->source->function->body);
  lox_at_line(emitter, emitter->source->function->end_line);
  lox_emit_return(emitter, NULL);
  lox_emitter_end(emitter);
}

void lox_emit_function(struct lox_unit_emitter *unit, const struct lox_function *function) {
  struct lox_emitter emitter;
  lox_begin_function(&emitter, unit, function, unit->functions[function->index].code);
  if (function->makes_calls)
    emit_stack_check(&emitter);
  define_parameters(&emitter);
  emit_body(&emitter);
}
