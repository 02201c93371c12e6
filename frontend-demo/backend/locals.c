/* Local variables for stack traces. Each call's deopt state lists those in scope, as pairs of the
 * variable's number in the unit and its value or its cell. Captured variables of enclosing
 * functions come after the function's own. `super` is not a variable of the program. */
#include <string.h>

#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/backend/record.h"
#include "frontend-demo/runtime/abi.h"

static const char tag[] = "deopt";

static bool is_of_the_program(const struct lox_variable *variable) {
  return strcmp(variable->name->text.bytes, "super") != 0;
}

void lox_open_scope(struct lox_emitter *emitter) {
  if (emitter->unit->traces_locals)
    emitter->locals.variables =
        lox_arena_allocate(emitter->unit->arena, (emitter->function->variable_count + 1) *
                                                     sizeof *emitter->locals.variables);
}

void lox_enter_scope(struct lox_emitter *emitter, const struct lox_variable *variable) {
  if (emitter->unit->traces_locals && is_of_the_program(variable))
    emitter->locals.variables[emitter->locals.count++] = variable;
}

/* ---- The deopt state of a call ---- */

/* Storage for the pairs of a function's own and captured variables. */
struct pairs {
  LLVMValueRef *words;
  uint32_t count;
};

static void add_pair(struct lox_emitter *emitter, struct pairs *pairs,
                     const struct lox_variable *variable, LLVMValueRef held) {
  uint64_t number = emitter->unit->functions[variable->owner->index].first_local + variable->index;
  pairs->words[pairs->count++] = lox_abi_word(emitter->abi, number);
  pairs->words[pairs->count++] = held;
}

/* True if a variable of the function, from index `from` on in the scope, has this name. */
static bool is_shadowed(const struct lox_emitter *emitter, uint32_t from,
                        const struct lox_variable *variable) {
  for (uint32_t i = from; i < emitter->locals.count; i++)
    if (emitter->locals.variables[i]->name == variable->name)
      return true;
  return false;
}

static void add_locals(struct lox_emitter *emitter, struct pairs *pairs) {
  for (uint32_t i = 0; i < emitter->locals.count; i++) {
    const struct lox_variable *variable = emitter->locals.variables[i];
    if (!is_shadowed(emitter, i + 1, variable))
      add_pair(emitter, pairs, variable, lox_held_by_local(emitter, variable));
  }
}

static void add_captures(struct lox_emitter *emitter, struct pairs *pairs) {
  const struct lox_function *function = emitter->function;
  for (uint32_t i = 0; i < function->capture_count; i++) {
    const struct lox_variable *variable = function->captures[i].variable;
    if (is_of_the_program(variable) && !is_shadowed(emitter, 0, variable))
      add_pair(emitter, pairs, variable, lox_held_by_capture(emitter, i));
  }
}

LLVMOperandBundleRef lox_describe_locals(struct lox_emitter *emitter) {
  if (emitter->locals.variables == NULL)
    return NULL;
  uint32_t most = emitter->locals.count + emitter->function->capture_count;
  struct pairs pairs = {
      .words = lox_arena_allocate(emitter->unit->arena, (2 * most + 1) * sizeof(LLVMValueRef))};
  add_locals(emitter, &pairs);
  add_captures(emitter, &pairs);
  return LLVMCreateOperandBundle(tag, sizeof tag - 1, pairs.words, pairs.count);
}

/* ---- The names ---- */

void lox_number_locals(struct lox_unit_emitter *unit) {
  for (uint32_t i = 0; i < unit->program->function_count; i++) {
    unit->functions[i].first_local = unit->local_count;
    unit->local_count += unit->program->functions[i]->variable_count;
  }
}

LLVMValueRef lox_emit_local_names(struct lox_unit_emitter *unit) {
  if (!unit->traces_locals)
    return NULL;
  LLVMValueRef *names = lox_arena_allocate(unit->arena, (unit->local_count + 1) * sizeof *names);
  uint32_t count = 0;
  for (uint32_t i = 0; i < unit->program->function_count; i++) {
    const struct lox_function *function = unit->program->functions[i];
    for (uint32_t k = 0; k < function->variable_count; k++) {
      const struct lox_string *text = &function->variables[k]->name->text;
      names[count++] = lox_record_text(&unit->abi, unit->module, text->bytes, text->length);
    }
  }
  return lox_record_array(unit->module, names, count, "locals");
}
