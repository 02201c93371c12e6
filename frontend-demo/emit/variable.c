#include "frontend-demo/emit/tree.h"
#include "frontend-demo/emit/unit.h"

static LLVMValueRef make_cell(struct lox_emitter *emitter, int line) {
  LLVMValueRef descriptor = lox_abi_descriptor(emitter->abi, emitter->module, "lox_cell_type");
  return lox_call_runtime(emitter, line, LOX_ENTRY_ALLOCATE, &descriptor);
}

void lox_define_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                      struct lox_value value, int line) {
  struct lox_home *home = &emitter->source->homes[variable->index];
  home->place = LLVMBuildAlloca(emitter->allocas, lox_place_type(emitter, variable),
                                variable->name->text.bytes);
  if (lox_lives_in_cell(variable))
    LLVMBuildStore(emitter->builder, make_cell(emitter, line), home->place);
  lox_assign_local(emitter, variable, value);
}

static LLVMValueRef load_global(struct lox_emitter *emitter, const struct lox_global *global,
                                int line) {
  const struct lox_global_word *home = &emitter->source->unit->globals[global->index];
  LLVMValueRef value = lox_load(emitter, emitter->abi->value, home->word, 0);
  if (lox_is_defined(emitter, global))
    return value;

  LLVMBasicBlockRef undefined = lox_block(emitter, "undefined");
  LLVMValueRef nothing = lox_abi_constant(emitter->abi, LOX_VALUE_NOTHING);
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntNE, value, nothing, ""), undefined);
  LLVMBasicBlockRef defined = lox_current_block(emitter);

  lox_enter(emitter, undefined);
  LLVMValueRef name = lox_unit_name(emitter->source->unit, global->name);
  lox_call_error(emitter, line, LOX_ENTRY_ERROR_UNDEFINED_VARIABLE, &name);
  lox_enter(emitter, defined);
  return value;
}

static void store_global(struct lox_emitter *emitter, const struct lox_global *global,
                         struct lox_value value) {
  lox_store(emitter, lox_box(emitter, value), emitter->source->unit->globals[global->index].word,
            0);
}

struct lox_value lox_read(struct lox_emitter *emitter, const struct lox_reference *reference,
                          int line) {
  switch (reference->kind) {
  case LOX_REFERENCE_LOCAL: return lox_read_local(emitter, reference->variable);
  case LOX_REFERENCE_CAPTURE: return lox_read_capture(emitter, reference);
  case LOX_REFERENCE_GLOBAL: break;
  }
  return lox_any(load_global(emitter, reference->global, line));
}

void lox_assign(struct lox_emitter *emitter, const struct lox_reference *reference,
                struct lox_value value, int line) {
  switch (reference->kind) {
  case LOX_REFERENCE_LOCAL: lox_assign_local(emitter, reference->variable, value); break;
  case LOX_REFERENCE_CAPTURE: lox_assign_capture(emitter, reference, value); break;
  case LOX_REFERENCE_GLOBAL:
    load_global(emitter, reference->global, line);
    store_global(emitter, reference->global, value);
    break;
  }
}

static void mark_defined(struct lox_emitter *emitter, const struct lox_reference *target) {
  struct lox_unit_emitter *unit = emitter->source->unit;
  if (target->kind == LOX_REFERENCE_GLOBAL)
    unit->globals[target->global->index].defined_at = ++unit->definition_count;
}

void lox_define(struct lox_emitter *emitter, const struct lox_reference *target,
                struct lox_value value, int line) {
  if (target->kind == LOX_REFERENCE_LOCAL)
    lox_define_local(emitter, target->variable, value, line);
  else
    store_global(emitter, target->global, value);
  mark_defined(emitter, target);
}
