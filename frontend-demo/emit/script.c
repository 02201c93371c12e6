/* Top-level code. Much of a compiler's work grows faster than the functions it works on, and a
 * script may be long. So its statements are cut into parts, functions that the script calls one
 * after the other. Variables at top level are global, so parts share nothing else. Stack traces
 * leave out the calls of parts. */
#include "frontend-demo/backend/emitter.h"

enum { PART_STATEMENTS = 32 };

static LLVMValueRef emit_part(struct lox_unit_emitter *unit,
                              const struct lox_statement_list *statements) {
  const struct lox_function *script = unit->program->script;
  LLVMValueRef part = lox_add_code(unit, 1, "part.", lox_function_display_name(script));
  struct lox_emitter emitter;
  lox_emitter_begin(&emitter, unit, script, part);
  lox_open_scope(&emitter);
  lox_emit_statements(&emitter, statements);
  LLVMBuildRet(emitter.builder, lox_nil(&emitter).llvm);
  lox_emitter_end(&emitter);
  return part;
}

void lox_emit_script(struct lox_emitter *emitter) {
  const struct lox_statement_list *all = &emitter->function->body;
  if (all->count <= PART_STATEMENTS) {
    lox_emit_statements(emitter, all);
    return;
  }
  for (uint32_t first = 0; first < all->count; first += PART_STATEMENTS) {
    uint32_t left = all->count - first;
    struct lox_statement_list statements = {
        .items = &all->items[first], .count = left < PART_STATEMENTS ? left : PART_STATEMENTS};
    LLVMValueRef part = emit_part(emitter->unit, &statements);
    LLVMValueRef closure = LLVMGetParam(emitter->code, 0);
    lox_at_line(emitter, statements.items[0]->line);
    lox_call_words(emitter, LOX_NO_LINE, part, &closure, 1);
  }
}
