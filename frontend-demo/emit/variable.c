/* Variables: locals, captures, globals.
 *
 * A local lives in an alloca, which the lowering turns into registers. A captured variable that is
 * assigned after its initialisation lives in a cell on the heap, shared by its function and the
 * closures; the alloca then holds the cell. A captured variable that never changes is copied into
 * the closures instead.
 */
#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/fast/infer.h"
#include "frontend-demo/runtime/abi.h"

static bool lives_in_cell(const struct lox_variable *variable) {
  return variable->is_captured && variable->assigned_count > 0;
}

static LLVMTypeRef place_type(struct lox_emitter *emitter, const struct lox_variable *variable) {
  return lives_in_cell(variable)
             ? emitter->abi->value
             : lox_kind_type(emitter->abi, lox_variable_kind(variable, emitter->version));
}

static struct lox_value with_what_is_known(const struct lox_variable *variable,
                                           struct lox_value value) {
  value.is_instance = variable == variable->owner->receiver;
  return value;
}

static struct lox_value read_cell(struct lox_emitter *emitter, const struct lox_variable *variable,
                                  LLVMValueRef cell) {
  LLVMValueRef boxed = lox_load(emitter, emitter->abi->value, cell, LOX_CELL_VALUE);
  return lox_unbox(emitter, boxed, variable->kind);
}

static void write_cell(struct lox_emitter *emitter, const struct lox_variable *variable,
                       LLVMValueRef cell, struct lox_value value) {
  LLVMValueRef offset = lox_abi_word(emitter->abi, LOX_CELL_VALUE);
  struct lox_value converted = {.llvm = lox_convert(emitter, value, variable->kind),
                                .kind = variable->kind};
  lox_store_value(emitter, converted, cell, offset);
}

/* ---- Locals ---- */

static LLVMValueRef load_place(struct lox_emitter *emitter, const struct lox_variable *variable) {
  LLVMValueRef place = emitter->homes[variable->index].place;
  return LLVMBuildLoad2(emitter->builder, place_type(emitter, variable), place, "");
}

/* Counters that are used as indexes are also kept as integers, because an address that waited for a
 * number's conversion would be late. */
static bool keeps_whole(struct lox_emitter *emitter, const struct lox_variable *variable) {
  return variable->is_index && !lives_in_cell(variable) &&
         lox_variable_kind(variable, emitter->version) == LOX_KIND_NUMBER;
}

static struct lox_value read_local(struct lox_emitter *emitter,
                                   const struct lox_variable *variable) {
  LLVMValueRef held = load_place(emitter, variable);
  if (lives_in_cell(variable))
    return read_cell(emitter, variable, held);
  LLVMValueRef whole_place = emitter->homes[variable->index].whole_place;
  if (whole_place)
    return lox_whole_number(held,
                            LLVMBuildLoad2(emitter->builder, emitter->abi->word, whole_place, ""));
  return with_what_is_known(
      variable,
      (struct lox_value){.llvm = held, .kind = lox_variable_kind(variable, emitter->version)});
}

static void assign_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                         struct lox_value value) {
  if (lives_in_cell(variable)) {
    write_cell(emitter, variable, load_place(emitter, variable), value);
    return;
  }
  const struct lox_home *home = &emitter->homes[variable->index];
  LLVMValueRef converted =
      lox_convert(emitter, value, lox_variable_kind(variable, emitter->version));
  LLVMBuildStore(emitter->builder, converted, home->place);
  if (home->whole_place)
    LLVMBuildStore(emitter->builder, lox_whole(emitter, lox_whole_number(converted, value.whole)),
                   home->whole_place);
}

static LLVMValueRef make_cell(struct lox_emitter *emitter, int line) {
  LLVMValueRef descriptor =
      lox_abi_descriptor(emitter->abi, emitter->unit->module, "lox_cell_type");
  return lox_call_runtime(emitter, line, LOX_ENTRY_ALLOCATE, &descriptor);
}

void lox_define_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                      struct lox_value value, int line) {
  struct lox_home *home = &emitter->homes[variable->index];
  home->place =
      LLVMBuildAlloca(emitter->allocas, place_type(emitter, variable), variable->name->text.bytes);
  home->whole_place = keeps_whole(emitter, variable)
                          ? LLVMBuildAlloca(emitter->allocas, emitter->abi->word, "whole")
                          : NULL;
  if (lives_in_cell(variable))
    LLVMBuildStore(emitter->builder, make_cell(emitter, line), home->place);
  assign_local(emitter, variable, value);
  lox_enter_scope(emitter, variable);
}

LLVMValueRef lox_held_by_local(struct lox_emitter *emitter, const struct lox_variable *variable) {
  if (lives_in_cell(variable))
    return load_place(emitter, variable);
  return lox_box(emitter, read_local(emitter, variable));
}

/* ---- Captures ---- */

static LLVMValueRef load_capture(struct lox_emitter *emitter, uint32_t capture) {
  LLVMValueRef closure = LLVMGetParam(emitter->code, 0);
  return lox_load(emitter, emitter->abi->value, closure,
                  LOX_CLOSURE_CELLS + sizeof(struct spgc_ref) * capture);
}

LLVMValueRef lox_held_by_capture(struct lox_emitter *emitter, uint32_t capture) {
  return load_capture(emitter, capture);
}

static struct lox_value read_capture(struct lox_emitter *emitter,
                                     const struct lox_reference *reference) {
  const struct lox_variable *variable = reference->variable;
  LLVMValueRef held = load_capture(emitter, reference->capture);
  if (lives_in_cell(variable))
    return read_cell(emitter, variable, held);
  return with_what_is_known(variable, lox_unbox(emitter, held, variable->kind));
}

/* The value or cell that a closure made here copies. */
static struct lox_value capture(struct lox_emitter *emitter, const struct lox_capture *capture) {
  if (capture->from_enclosing_capture)
    return lox_any(load_capture(emitter, capture->index));
  if (lives_in_cell(capture->variable))
    return lox_any(load_place(emitter, capture->variable));
  return read_local(emitter, capture->variable);
}

void lox_fill_closure(struct lox_emitter *emitter, const struct lox_function *function,
                      LLVMValueRef closure) {
  for (uint32_t i = 0; i < function->capture_count; i++) {
    uint64_t offset = LOX_CLOSURE_CELLS + sizeof(struct spgc_ref) * i;
    lox_store_value(emitter, capture(emitter, &function->captures[i]), closure,
                    lox_abi_word(emitter->abi, offset));
  }
}

/* ---- Globals ---- */

static LLVMValueRef load_global(struct lox_emitter *emitter, const struct lox_global *global,
                                int line) {
  const struct lox_global_word *home = &emitter->unit->globals[global->index];
  LLVMValueRef value = lox_load(emitter, emitter->abi->value, home->word, 0);
  if (home->is_defined)
    return value;

  LLVMBasicBlockRef undefined = lox_block(emitter, "undefined");
  LLVMValueRef nothing = lox_abi_constant(emitter->abi, LOX_VALUE_NOTHING);
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntNE, value, nothing, ""), undefined);
  LLVMBasicBlockRef defined = lox_current_block(emitter);

  lox_enter(emitter, undefined);
  LLVMValueRef name = lox_unit_name(emitter->unit, global->name);
  lox_call_error(emitter, line, LOX_ENTRY_ERROR_UNDEFINED_VARIABLE, &name);
  lox_enter(emitter, defined);
  return value;
}

static void store_global(struct lox_emitter *emitter, const struct lox_global *global,
                         struct lox_value value) {
  lox_store_at(emitter, lox_box(emitter, value), emitter->unit->globals[global->index].word,
               lox_abi_word(emitter->abi, 0));
}

/* ---- All of them ---- */

struct lox_value lox_read(struct lox_emitter *emitter, const struct lox_reference *reference,
                          int line) {
  switch (reference->kind) {
  case LOX_REFERENCE_LOCAL: return read_local(emitter, reference->variable);
  case LOX_REFERENCE_CAPTURE: return read_capture(emitter, reference);
  case LOX_REFERENCE_GLOBAL: break;
  }
  return lox_any(load_global(emitter, reference->global, line));
}

void lox_assign(struct lox_emitter *emitter, const struct lox_reference *reference,
                struct lox_value value, int line) {
  switch (reference->kind) {
  case LOX_REFERENCE_LOCAL: assign_local(emitter, reference->variable, value); break;
  case LOX_REFERENCE_CAPTURE:
    write_cell(emitter, reference->variable, load_capture(emitter, reference->capture), value);
    break;
  case LOX_REFERENCE_GLOBAL:
    load_global(emitter, reference->global, line);
    store_global(emitter, reference->global, value);
    break;
  }
}

void lox_define(struct lox_emitter *emitter, const struct lox_reference *target,
                struct lox_value value, int line) {
  if (target->kind == LOX_REFERENCE_LOCAL)
    lox_define_local(emitter, target->variable, value, line);
  else
    store_global(emitter, target->global, value);
  lox_mark_defined(emitter, target);
}

void lox_mark_defined(struct lox_emitter *emitter, const struct lox_reference *target) {
  if (target->kind == LOX_REFERENCE_GLOBAL)
    emitter->unit->globals[target->global->index].is_defined = true;
}

const struct lox_function *lox_known_function(const struct lox_emitter *emitter,
                                              const struct lox_reference *reference) {
  const struct lox_unit_emitter *unit = emitter->unit;
  if (reference->kind != LOX_REFERENCE_GLOBAL) {
    const struct lox_variable *variable = reference->variable;
    return unit->functions[variable->owner->index].homes[variable->index].function;
  }
  /* Before its declaration ran, the variable may hold a native function of the same name; later
   * entries of a session may assign anything. */
  const struct lox_global *global = reference->global;
  bool is_certain =
      global->is_single_function && unit->globals[global->index].is_defined && !unit->session;
  return is_certain ? global->function : NULL;
}

const struct lox_class *lox_known_class(const struct lox_emitter *emitter,
                                        const struct lox_reference *reference) {
  if (reference->kind != LOX_REFERENCE_GLOBAL || emitter->unit->session)
    return NULL;
  const struct lox_global *global = reference->global;
  bool is_certain = global->is_single_class && emitter->unit->globals[global->index].is_defined;
  return is_certain ? global->class_ : NULL;
}
