/* On a miss, the runtime does the access and refills the cache. */
#include <stdio.h>

#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/fast.h"

enum {
  SHAPE = offsetof(struct lox_property_cache, entries) + offsetof(struct lox_property_entry, shape),
  NEXT_SHAPE = offsetof(struct lox_property_cache, entries) +
               offsetof(struct lox_property_entry, next_shape),
  FIELD_OFFSET =
      offsetof(struct lox_property_cache, entries) + offsetof(struct lox_property_entry, offset),
};

static void record_zeroes(struct lox_record *record, size_t end) {
  for (size_t offset = 0; offset < end; offset += sizeof(uint64_t))
    lox_record_int64(record, offset, 0);
}

static LLVMValueRef make_property_cache(struct lox_emitter *emitter, const struct lox_name *name) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_zeroes(&record, offsetof(struct lox_property_cache, name));
  LOX_POINTER(&record, lox_property_cache, name, lox_unit_name(emitter->source->unit, name));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_property_cache));
  return lox_record_writable(emitter->module, cache, "property.cache");
}

/* For an invoked property that is a field: code(closure, receiver, arguments) calls
 * field(arguments). A unit has one per number of arguments. */
static LLVMValueRef shadowed_code(struct lox_emitter *site, uint32_t argument_count) {
  struct lox_unit_emitter *unit = site->source->unit;
  char name[16];
  snprintf(name, sizeof name, "%u", argument_count);
  char symbol[32];
  snprintf(symbol, sizeof symbol, "shadowed.%u", argument_count);
  LLVMValueRef known = LLVMGetNamedFunction(unit->module, symbol);
  if (known)
    return known;

  LLVMValueRef code = lox_add_code(&unit->abi, unit->module, 2 + argument_count, "shadowed.", name);
  struct lox_emitter emitter;
  lox_begin_function(&emitter, unit, site->source->function, code);
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

static LLVMValueRef make_invoke_cache(struct lox_emitter *emitter, const struct lox_name *name,
                                      uint32_t argument_count) {
  size_t shadowed = offsetof(struct lox_invoke_cache, shadowed);
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_zeroes(&record, offsetof(struct lox_invoke_cache, name));
  LOX_POINTER(&record, lox_invoke_cache, name, lox_unit_name(emitter->source->unit, name));
  LOX_INT64(&record, lox_invoke_cache, argument_count, argument_count);
  lox_record_pointer(&record, shadowed + offsetof(struct lox_invoke_entry, shape), NULL);
  lox_record_int64(&record, shadowed + offsetof(struct lox_invoke_entry, offset),
                   LOX_CLASS_SUPERCLASS);
  lox_record_pointer(&record, shadowed + offsetof(struct lox_invoke_entry, code),
                     shadowed_code(emitter, argument_count));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_invoke_cache));
  return lox_record_writable(emitter->module, cache, "invoke.cache");
}

static void guard_cached(struct lox_emitter *emitter, LLVMValueRef cache, uint64_t key,
                         LLVMValueRef object, LLVMBasicBlockRef otherwise) {
  LLVMValueRef header = lox_load_header(emitter, object);
  LLVMValueRef expected = lox_load(emitter, emitter->abi->pointer, cache, key);
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, header, expected, ""), otherwise);
}

struct lox_value lox_get_property(struct lox_emitter *emitter, int line, struct lox_value object,
                                  const struct lox_name *name) {
  LLVMValueRef boxed = lox_box(emitter, object);
  LLVMValueRef cache = make_property_cache(emitter, name);
  LLVMBasicBlockRef miss = lox_block(emitter, "get.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "get.done");

  lox_guard(emitter, lox_is_object(emitter, object), miss);
  guard_cached(emitter, cache, NEXT_SHAPE, boxed, miss);
  LLVMValueRef offset = lox_load(emitter, emitter->abi->word, cache, FIELD_OFFSET);
  LLVMValueRef field = lox_load_at(emitter, emitter->abi->value, boxed, offset);
  LLVMBasicBlockRef hit = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, miss);
  LLVMValueRef arguments[] = {boxed, cache};
  LLVMValueRef found = lox_call_runtime(emitter, line, LOX_ENTRY_GET_MISS, arguments);
  LLVMBasicBlockRef missed = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return lox_any(lox_phi(emitter, field, hit, found, missed));
}

/* An initializer is expected to add fields to `this`, all other code to find them. */
static bool adds_field(const struct lox_emitter *emitter, struct lox_value object) {
  return emitter->source->function->kind == LOX_INITIALIZER && object.is_instance;
}

void lox_set_property(struct lox_emitter *emitter, int line, struct lox_value object,
                      const struct lox_name *name, struct lox_value value) {
  LLVMValueRef boxed = lox_box(emitter, object);
  LLVMValueRef cache = make_property_cache(emitter, name);
  LLVMBasicBlockRef miss = lox_block(emitter, "set.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "set.done");

  bool adds = adds_field(emitter, object);
  lox_guard(emitter, lox_is_object(emitter, object), miss);
  guard_cached(emitter, cache, adds ? SHAPE : NEXT_SHAPE, boxed, miss);
  LLVMValueRef offset = lox_load(emitter, emitter->abi->word, cache, FIELD_OFFSET);
  if (adds)
    lox_store(emitter, lox_load(emitter, emitter->abi->pointer, cache, NEXT_SHAPE), boxed, 0);
  lox_store_at(emitter, lox_box(emitter, value), boxed, offset);
  lox_jump(emitter, done);

  lox_enter(emitter, miss);
  LLVMValueRef arguments[] = {boxed, lox_box(emitter, value), cache};
  lox_call_runtime(emitter, line, LOX_ENTRY_SET_MISS, arguments);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
}

_Static_assert(offsetof(struct lox_invoke_cache, entries) == 0,
               "a cache's address is that of its first entry");

static LLVMValueRef find_entry(struct lox_emitter *emitter, struct lox_value receiver,
                               LLVMValueRef cache, int line) {
  LLVMValueRef boxed = lox_box(emitter, receiver);
  LLVMBasicBlockRef miss = lox_block(emitter, "invoke.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "invoke.found");
  lox_guard(emitter, lox_is_object(emitter, receiver), miss);
  guard_cached(emitter, cache, offsetof(struct lox_invoke_entry, shape), boxed, miss);
  LLVMBasicBlockRef hit = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, miss);
  LLVMValueRef words[] = {boxed, cache};
  LLVMValueRef found = lox_call_runtime(emitter, line, LOX_ENTRY_INVOKE_MISS, words);
  LLVMBasicBlockRef missed = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return lox_phi(emitter, cache, hit, found, missed);
}

/* Usually calls a method, without a bound method; a field of that name takes precedence. */
struct lox_value lox_invoke(struct lox_emitter *emitter, int line, struct lox_value receiver,
                            const struct lox_name *name, struct lox_arguments *arguments) {
  const struct lox_abi *abi = emitter->abi;
  LLVMValueRef boxed = lox_box(emitter, receiver);
  LLVMValueRef cache = make_invoke_cache(emitter, name, arguments->count);
  LLVMValueRef entry = find_entry(emitter, receiver, cache, line);
  LLVMValueRef offset =
      lox_load(emitter, abi->word, entry, offsetof(struct lox_invoke_entry, offset));
  LLVMValueRef code =
      lox_load(emitter, abi->pointer, entry, offsetof(struct lox_invoke_entry, code));
  LLVMValueRef class_object = lox_load(emitter, abi->value, boxed, LOX_INSTANCE_CLASS);
  LLVMValueRef closure = lox_load_at(emitter, abi->value, class_object, offset);
  return lox_any(lox_call_method(emitter, line, code, closure, boxed, arguments));
}

struct lox_value lox_super_get_property(struct lox_emitter *emitter, int line,
                                        LLVMValueRef receiver, LLVMValueRef superclass,
                                        const struct lox_name *name) {
  LLVMValueRef arguments[] = {superclass, receiver, lox_unit_name(emitter->source->unit, name)};
  return lox_any(lox_call_runtime(emitter, line, LOX_ENTRY_SUPER_GET, arguments));
}
