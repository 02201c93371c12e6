/* Properties and methods of instances. Each place in the source has a cache of its own (runtime/abi.h) that holds what
 * it met last; a call of the runtime does what the cache cannot, and refills it.
 */
#include "frontend-demo/emit/emitter.h"
#include "frontend-demo/emit/record.h"
#include "frontend-demo/runtime/abi.h"

/* ---- Caches ---- */

static LLVMValueRef get_cache(struct lox_emitter *emitter, const struct lox_name *name) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  lox_record_pointer(&record, offsetof(struct lox_get_cache, shape), NULL);
  lox_record_int64(&record, offsetof(struct lox_get_cache, offset), 0);
  lox_record_pointer(&record, offsetof(struct lox_get_cache, name), lox_unit_name(emitter->unit, name));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_get_cache));
  return lox_record_writable(emitter->unit->module, cache, "get.cache");
}

static LLVMValueRef set_cache(struct lox_emitter *emitter, const struct lox_name *name) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  lox_record_pointer(&record, offsetof(struct lox_set_cache, shape), NULL);
  lox_record_pointer(&record, offsetof(struct lox_set_cache, next_shape), NULL);
  lox_record_int64(&record, offsetof(struct lox_set_cache, offset), 0);
  lox_record_pointer(&record, offsetof(struct lox_set_cache, name), lox_unit_name(emitter->unit, name));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_set_cache));
  return lox_record_writable(emitter->unit->module, cache, "set.cache");
}

static LLVMValueRef invoke_cache(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  lox_record_pointer(&record, offsetof(struct lox_invoke_cache, shape), NULL);
  lox_record_int64(&record, offsetof(struct lox_invoke_cache, offset), 0);
  lox_record_pointer(&record, offsetof(struct lox_invoke_cache, code), NULL);
  lox_record_pointer(&record, offsetof(struct lox_invoke_cache, name), lox_unit_name(emitter->unit, name));
  lox_record_int64(&record, offsetof(struct lox_invoke_cache, argument_count), argument_count);
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_invoke_cache));
  return lox_record_writable(emitter->unit->module, cache, "invoke.cache");
}

static LLVMValueRef super_cache(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  lox_record_pointer(&record, offsetof(struct lox_super_cache, layout), NULL);
  lox_record_int64(&record, offsetof(struct lox_super_cache, offset), 0);
  lox_record_pointer(&record, offsetof(struct lox_super_cache, code), NULL);
  lox_record_pointer(&record, offsetof(struct lox_super_cache, name), lox_unit_name(emitter->unit, name));
  lox_record_int64(&record, offsetof(struct lox_super_cache, argument_count), argument_count);
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_super_cache));
  return lox_record_writable(emitter->unit->module, cache, "super.cache");
}

/* ---- Fields ---- */

struct lox_value lox_emit_get(struct lox_emitter *emitter, const struct lox_expression *expression) {
  const struct lox_abi *abi = emitter->abi;
  struct lox_value object = lox_emit_expression(emitter, expression->get.object);
  LLVMValueRef boxed = lox_box(emitter, object);
  LLVMValueRef cache = get_cache(emitter, expression->get.name);
  LLVMBasicBlockRef miss = lox_block(emitter, "get.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "get.done");

  LLVMValueRef shape = lox_load(emitter, abi->pointer, cache, offsetof(struct lox_get_cache, shape));
  lox_guard_header(emitter, object, shape, miss);
  LLVMValueRef offset = lox_load(emitter, abi->word, cache, offsetof(struct lox_get_cache, offset));
  LLVMValueRef field = lox_load_at(emitter, abi->value, boxed, offset);
  LLVMBasicBlockRef hit = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, miss);
  LLVMValueRef arguments[] = {boxed, cache};
  LLVMValueRef found = lox_call_runtime(emitter, expression->line, LOX_ENTRY_GET_MISS, arguments);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return lox_any(lox_phi(emitter, field, hit, found, miss));
}

struct lox_value lox_emit_set(struct lox_emitter *emitter, const struct lox_expression *expression) {
  const struct lox_abi *abi = emitter->abi;
  struct lox_value object = lox_emit_expression(emitter, expression->set.object);
  struct lox_value value = lox_emit_expression(emitter, expression->set.value);
  LLVMValueRef boxed = lox_box(emitter, object);
  LLVMValueRef cache = set_cache(emitter, expression->set.name);
  LLVMBasicBlockRef miss = lox_block(emitter, "set.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "set.done");

  LLVMValueRef shape = lox_load(emitter, abi->pointer, cache, offsetof(struct lox_set_cache, shape));
  lox_guard_header(emitter, object, shape, miss);
  LLVMValueRef next_shape = lox_load(emitter, abi->pointer, cache, offsetof(struct lox_set_cache, next_shape));
  LLVMValueRef offset = lox_load(emitter, abi->word, cache, offsetof(struct lox_set_cache, offset));
  lox_store(emitter, next_shape, boxed, 0);
  lox_store_value(emitter, value, boxed, offset);
  lox_jump(emitter, done);

  lox_enter(emitter, miss);
  LLVMValueRef arguments[] = {boxed, lox_box(emitter, value), cache};
  lox_call_runtime(emitter, expression->line, LOX_ENTRY_SET_MISS, arguments);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return value;
}

/* ---- Methods ---- */

/* The method the cache names, called on the receiver. */
static LLVMValueRef invoke_cached(struct lox_emitter *emitter, int line, LLVMValueRef receiver, LLVMValueRef cache,
                                  struct lox_arguments *arguments) {
  const struct lox_abi *abi = emitter->abi;
  LLVMValueRef offset = lox_load(emitter, abi->word, cache, offsetof(struct lox_invoke_cache, offset));
  LLVMValueRef code = lox_load(emitter, abi->pointer, cache, offsetof(struct lox_invoke_cache, code));
  LLVMValueRef class_object = lox_load(emitter, abi->value, receiver, LOX_INSTANCE_CLASS);
  LLVMValueRef closure = lox_load_at(emitter, abi->value, class_object, offset);
  return lox_call_method(emitter, line, code, closure, receiver, arguments);
}

/* receiver.name(arguments): usually a method, without making a bound method first; a field of that name comes before
 * it. */
struct lox_value lox_emit_invoke(struct lox_emitter *emitter, const struct lox_expression *call,
                                 struct lox_arguments *arguments) {
  const struct lox_abi *abi = emitter->abi;
  const struct lox_expression *callee = call->call.callee;
  struct lox_value receiver = lox_emit_expression(emitter, callee->get.object);
  lox_emit_arguments(emitter, &call->call.arguments, arguments);
  LLVMValueRef boxed = lox_box(emitter, receiver);
  LLVMValueRef cache = invoke_cache(emitter, callee->get.name, arguments->count);
  LLVMBasicBlockRef hit = lox_block(emitter, "invoke.hit");
  LLVMBasicBlockRef miss = lox_block(emitter, "invoke.miss");
  LLVMBasicBlockRef shadowed = lox_block(emitter, "invoke.field");
  LLVMBasicBlockRef done = lox_block(emitter, "invoke.done");

  LLVMValueRef shape = lox_load(emitter, abi->pointer, cache, offsetof(struct lox_invoke_cache, shape));
  lox_guard_header(emitter, receiver, shape, miss);
  lox_jump(emitter, hit);

  lox_enter(emitter, miss);
  LLVMValueRef words[] = {boxed, cache};
  LLVMValueRef field = lox_call_runtime(emitter, call->line, LOX_ENTRY_INVOKE_MISS, words);
  LLVMValueRef nothing = lox_abi_constant(abi, LOX_VALUE_NOTHING);
  lox_branch(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, field, nothing, ""), hit, shadowed);

  lox_enter(emitter, shadowed);
  LLVMValueRef field_result = lox_call_value(emitter, call->line, lox_any(field), arguments);
  LLVMBasicBlockRef from_field = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, hit);
  LLVMValueRef method_result = invoke_cached(emitter, call->line, boxed, cache, arguments);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return lox_any(lox_phi(emitter, method_result, hit, field_result, from_field));
}

struct lox_value lox_emit_super_invoke(struct lox_emitter *emitter, const struct lox_expression *call,
                                       struct lox_arguments *arguments) {
  const struct lox_abi *abi = emitter->abi;
  const struct lox_expression *callee = call->call.callee;
  LLVMValueRef receiver = lox_read(emitter, &callee->super.receiver, callee->line).llvm;
  lox_emit_arguments(emitter, &call->call.arguments, arguments);
  LLVMValueRef superclass = lox_read(emitter, &callee->super.superclass, callee->line).llvm;
  LLVMValueRef cache = super_cache(emitter, callee->super.name, arguments->count);
  LLVMBasicBlockRef miss = lox_block(emitter, "super.miss");
  LLVMBasicBlockRef hit = lox_block(emitter, "super.hit");

  LLVMValueRef expected = lox_load(emitter, abi->pointer, cache, offsetof(struct lox_super_cache, layout));
  LLVMValueRef layout = lox_load(emitter, abi->pointer, superclass, 0);
  lox_branch(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, layout, expected, ""), hit, miss);

  lox_enter(emitter, miss);
  LLVMValueRef words[] = {superclass, cache};
  lox_call_runtime(emitter, call->line, LOX_ENTRY_SUPER_INVOKE_MISS, words);
  lox_jump(emitter, hit);

  lox_enter(emitter, hit);
  LLVMValueRef offset = lox_load(emitter, abi->word, cache, offsetof(struct lox_super_cache, offset));
  LLVMValueRef code = lox_load(emitter, abi->pointer, cache, offsetof(struct lox_super_cache, code));
  LLVMValueRef closure = lox_load_at(emitter, abi->value, superclass, offset);
  return lox_any(lox_call_method(emitter, call->line, code, closure, receiver, arguments));
}

struct lox_value lox_emit_super_get(struct lox_emitter *emitter, const struct lox_expression *expression) {
  LLVMValueRef arguments[3];
  arguments[1] = lox_read(emitter, &expression->super.receiver, expression->line).llvm;
  arguments[0] = lox_read(emitter, &expression->super.superclass, expression->line).llvm;
  arguments[2] = lox_unit_name(emitter->unit, expression->super.name);
  return lox_any(lox_call_runtime(emitter, expression->line, LOX_ENTRY_SUPER_GET, arguments));
}
