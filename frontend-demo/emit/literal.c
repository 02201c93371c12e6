#include <stdio.h>
#include <string.h>

#include "frontend-demo/emit/unit.h"
#include "support/fatal.h"

char *lox_unit_text(struct lox_unit_emitter *unit, const char *prefix, const char *name) {
  size_t size = strlen(prefix) + strlen(name) + 1;
  char *text = lox_arena_allocate(unit->arena, size);
  snprintf(text, size, "%s%s", prefix, name);
  return text;
}

LLVMValueRef lox_unit_name(struct lox_unit_emitter *unit, const struct lox_name *name) {
  const char *symbol = lox_unit_text(unit, "name.", name->text.bytes);
  LLVMValueRef known = LLVMGetNamedGlobal(unit->module, symbol);
  if (known)
    return known;
  struct lox_record record;
  lox_record_begin(&record, &unit->abi);
  LOX_POINTER(&record, lox_name_literal, text,
              lox_record_text(unit->module, name->text.bytes, name->text.length));
  LOX_INT64(&record, lox_name_literal, length, name->text.length);
  LOX_POINTER(&record, lox_name_literal, interned, NULL);
  LLVMValueRef literal = lox_record_end(&record, sizeof(struct lox_name_literal));
  return lox_record_writable(unit->module, literal, symbol);
}

LLVMValueRef lox_unit_root(struct lox_unit_emitter *unit, const char *name) {
  return lox_record_writable(unit->module, LLVMConstNull(unit->abi.value), name);
}

LLVMValueRef lox_unit_string(struct lox_unit_emitter *unit, struct lox_string text) {
  struct lox_string_slot *string = lox_arena_allocate(unit->arena, sizeof *string);
  *string = (struct lox_string_slot){
      .slot = lox_unit_root(unit, "string"), .text = text, .next = unit->strings};
  unit->strings = string;
  unit->string_count++;
  return string->slot;
}

static struct lox_value emit_string(struct lox_emitter *emitter,
                                    const struct lox_expression *expression) {
  LLVMValueRef slot = lox_unit_string(emitter->source->unit, expression->string);
  LLVMValueRef string = lox_load(emitter, emitter->abi->value, slot, 0);
  /* See runtime/string.h. */
  return (struct lox_value){
      .llvm = string, .kind = LOX_KIND_STRING, .is_unique = expression->string.length <= 1};
}

struct lox_value lox_emit_literal(struct lox_emitter *emitter,
                                  const struct lox_expression *literal) {
  const struct lox_abi *abi = emitter->abi;
  switch (literal->type) {
  case LOX_NUMBER: return lox_number(LLVMConstReal(abi->number, literal->number));
  case LOX_STRING: return emit_string(emitter, literal);
  case LOX_NIL: return lox_nil(emitter);
  case LOX_TRUE:
  case LOX_FALSE: return lox_boolean(LLVMConstInt(abi->boolean, literal->type == LOX_TRUE, false));
  default: spgc_fatal("expression of type %d is no literal", (int)literal->type);
  }
}
