#include "frontend-demo/fast/cache.h"

#include <stdio.h>

#include "frontend-demo/backend/record.h"
#include "frontend-demo/runtime/abi.h"

/* Adds zeros for all bytes before the field at `end`. */
static void record_zeroes(struct lox_record *record, size_t end) {
  for (size_t offset = 0; offset < end; offset += sizeof(uint64_t))
    lox_record_int64(record, offset, 0);
}

LLVMValueRef lox_make_property_cache(struct lox_emitter *emitter, const struct lox_name *name) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_zeroes(&record, offsetof(struct lox_property_cache, name));
  lox_record_pointer(&record, offsetof(struct lox_property_cache, name),
                     lox_unit_name(emitter->unit, name));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_property_cache));
  return lox_record_writable(emitter->unit->module, cache, "property.cache");
}

/* The code that an invoked property's call runs if the property is a field: code(closure, receiver,
 * arguments) is field(arguments). There is one for each number of arguments in the unit. */
static LLVMValueRef shadowed_code(struct lox_emitter *site, uint32_t argument_count) {
  struct lox_unit_emitter *unit = site->unit;
  char name[16];
  snprintf(name, sizeof name, "%u", argument_count);
  char symbol[32];
  snprintf(symbol, sizeof symbol, "shadowed.%u", argument_count);
  LLVMValueRef known = LLVMGetNamedFunction(unit->module, symbol);
  if (known)
    return known;

  LLVMValueRef code = lox_add_code(unit, 2 + argument_count, "shadowed.", name);
  struct lox_emitter emitter;
  lox_emitter_begin(&emitter, unit, site->function, code);
  LLVMValueRef receiver = LLVMGetParam(code, 1);
  LLVMValueRef field =
      lox_call_runtime(&emitter, LOX_NO_LINE, LOX_ENTRY_SHADOWING_FIELD, &receiver);
  struct lox_arguments arguments = {.count = argument_count};
  for (uint32_t i = 0; i < argument_count; i++)
    arguments.words[2 + i] = LLVMGetParam(code, 2 + i);
  lox_return_result(&emitter, lox_call_value(&emitter, LOX_NO_LINE, lox_any(field), &arguments));
  lox_emitter_end(&emitter);
  return code;
}

LLVMValueRef lox_make_invoke_cache(struct lox_emitter *emitter, const struct lox_name *name,
                                   uint32_t argument_count) {
  size_t shadowed = offsetof(struct lox_invoke_cache, shadowed);
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_zeroes(&record, offsetof(struct lox_invoke_cache, name));
  lox_record_pointer(&record, offsetof(struct lox_invoke_cache, name),
                     lox_unit_name(emitter->unit, name));
  lox_record_int64(&record, offsetof(struct lox_invoke_cache, argument_count), argument_count);
  lox_record_pointer(&record, shadowed + offsetof(struct lox_invoke_entry, shape), NULL);
  /* May be the offset of any word of the class. */
  lox_record_int64(&record, shadowed + offsetof(struct lox_invoke_entry, offset),
                   LOX_CLASS_SUPERCLASS);
  lox_record_pointer(&record, shadowed + offsetof(struct lox_invoke_entry, code),
                     shadowed_code(emitter, argument_count));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_invoke_cache));
  return lox_record_writable(emitter->unit->module, cache, "invoke.cache");
}

void lox_guard_cached(struct lox_emitter *emitter, LLVMValueRef cache, uint64_t key,
                      LLVMValueRef object, LLVMBasicBlockRef otherwise) {
  LLVMValueRef header = lox_load_header(emitter, object);
  LLVMValueRef expected = lox_load(emitter, emitter->abi->pointer, cache, key);
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, header, expected, ""), otherwise);
}
