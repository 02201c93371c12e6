/* A captured variable that is assigned after its initialisation is in a cell on the heap, shared by
 * its function and closures; the alloca then holds the cell. Closures copy all others. */
#include "frontend-demo/emit/unit.h"

bool lox_lives_in_cell(const struct lox_variable *variable) {
  return variable->is_captured && variable->assigned_count > 0;
}

LLVMTypeRef lox_place_type(struct lox_emitter *emitter, const struct lox_variable *variable) {
  return lox_lives_in_cell(variable) ? emitter->abi->value
                                     : lox_kind_type(emitter->abi, variable->kind);
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
  struct lox_value converted = {.llvm = lox_convert(emitter, value, variable->kind),
                                .kind = variable->kind};
  lox_store(emitter, lox_box(emitter, converted), cell, LOX_CELL_VALUE);
}

static LLVMValueRef load_place(struct lox_emitter *emitter, const struct lox_variable *variable) {
  LLVMValueRef place = emitter->source->homes[variable->index].place;
  return LLVMBuildLoad2(emitter->builder, lox_place_type(emitter, variable), place, "");
}

struct lox_value lox_read_local(struct lox_emitter *emitter, const struct lox_variable *variable) {
  LLVMValueRef held = load_place(emitter, variable);
  if (lox_lives_in_cell(variable))
    return read_cell(emitter, variable, held);
  return with_what_is_known(variable, (struct lox_value){.llvm = held, .kind = variable->kind});
}

void lox_assign_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                      struct lox_value value) {
  if (lox_lives_in_cell(variable)) {
    write_cell(emitter, variable, load_place(emitter, variable), value);
    return;
  }
  LLVMValueRef converted = lox_convert(emitter, value, variable->kind);
  LLVMBuildStore(emitter->builder, converted, emitter->source->homes[variable->index].place);
}

static LLVMValueRef load_capture(struct lox_emitter *emitter, uint32_t capture) {
  LLVMValueRef closure = LLVMGetParam(emitter->code, 0);
  return lox_load(emitter, emitter->abi->value, closure,
                  LOX_CLOSURE_CELLS + sizeof(struct spgc_ref) * capture);
}

struct lox_value lox_read_capture(struct lox_emitter *emitter,
                                  const struct lox_reference *reference) {
  const struct lox_variable *variable = reference->variable;
  LLVMValueRef held = load_capture(emitter, reference->capture);
  if (lox_lives_in_cell(variable))
    return read_cell(emitter, variable, held);
  return with_what_is_known(variable, lox_unbox(emitter, held, variable->kind));
}

static struct lox_value value_to_capture(struct lox_emitter *emitter,
                                         const struct lox_capture *capture) {
  if (capture->from_enclosing_capture)
    return lox_any(load_capture(emitter, capture->index));
  if (lox_lives_in_cell(capture->variable))
    return lox_any(load_place(emitter, capture->variable));
  return lox_read_local(emitter, capture->variable);
}

void lox_fill_closure(struct lox_emitter *emitter, const struct lox_function *function,
                      LLVMValueRef closure) {
  for (uint32_t i = 0; i < function->capture_count; i++) {
    uint64_t offset = LOX_CLOSURE_CELLS + sizeof(struct spgc_ref) * i;
    struct lox_value captured = value_to_capture(emitter, &function->captures[i]);
    lox_store(emitter, lox_box(emitter, captured), closure, offset);
  }
}

void lox_assign_capture(struct lox_emitter *emitter, const struct lox_reference *reference,
                        struct lox_value value) {
  write_cell(emitter, reference->variable, load_capture(emitter, reference->capture), value);
}
