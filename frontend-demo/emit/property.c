/* Properties and methods of instances. Each place in the source has a cache of its own (runtime/abi.h); a call of the
 * runtime does what the cache cannot, and refills it.
 */
#include "frontend-demo/emit/cache.h"
#include "frontend-demo/emit/emitter.h"
#include "frontend-demo/runtime/abi.h"

/* ---- Fields ---- */

struct lox_value lox_emit_get(struct lox_emitter *emitter, const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->get.object);
  LLVMValueRef boxed = lox_box(emitter, object);
  LLVMValueRef cache = lox_make_property_cache(emitter, expression->get.name);
  LLVMBasicBlockRef miss = lox_block(emitter, "get.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "get.done");

  lox_guard(emitter, lox_is_object(emitter, object), miss);
  struct lox_cache_entry entry = lox_look_up(emitter, &lox_get_layout, cache, boxed, miss);
  LLVMValueRef field = lox_load_at(emitter, emitter->abi->value, boxed, entry.offset);
  LLVMBasicBlockRef hit = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, miss);
  LLVMValueRef arguments[] = {boxed, cache};
  LLVMValueRef found = lox_call_runtime(emitter, expression->line, LOX_ENTRY_GET_MISS, arguments);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return lox_any(lox_phi(emitter, field, hit, found, miss));
}

/* An initializer's assignments to `this` are expected to add fields, all others to find them. */
static bool adds_field(const struct lox_emitter *emitter, struct lox_value object) {
  return emitter->function->kind == LOX_INITIALIZER && object.is_instance;
}

struct lox_value lox_emit_set(struct lox_emitter *emitter, const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->set.object);
  struct lox_value value = lox_emit_expression(emitter, expression->set.value);
  LLVMValueRef boxed = lox_box(emitter, object);
  LLVMValueRef cache = lox_make_property_cache(emitter, expression->set.name);
  LLVMBasicBlockRef miss = lox_block(emitter, "set.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "set.done");

  bool adds = adds_field(emitter, object);
  lox_guard(emitter, lox_is_object(emitter, object), miss);
  struct lox_cache_entry entry = lox_look_up(emitter, adds ? &lox_add_layout : &lox_get_layout, cache, boxed, miss);
  if (adds)
    lox_store(emitter, entry.target, boxed, 0);
  lox_store_value(emitter, value, boxed, entry.offset);
  lox_jump(emitter, done);

  lox_enter(emitter, miss);
  LLVMValueRef arguments[] = {boxed, lox_box(emitter, value), cache};
  lox_call_runtime(emitter, expression->line, LOX_ENTRY_SET_MISS, arguments);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return value;
}

/* ---- Methods ---- */

/* receiver.name(arguments): usually a method, without making a bound method first; a field of that name comes before
 * it. */
struct lox_value lox_emit_invoke(struct lox_emitter *emitter, const struct lox_expression *call,
                                 struct lox_arguments *arguments) {
  const struct lox_abi *abi = emitter->abi;
  const struct lox_expression *callee = call->call.callee;
  struct lox_value receiver = lox_emit_expression(emitter, callee->get.object);
  lox_emit_arguments(emitter, &call->call.arguments, arguments);
  LLVMValueRef boxed = lox_box(emitter, receiver);
  LLVMValueRef cache = lox_make_invoke_cache(emitter, callee->get.name, arguments->count);
  LLVMBasicBlockRef known = lox_block(emitter, "invoke.known");
  LLVMBasicBlockRef miss = lox_block(emitter, "invoke.miss");
  LLVMBasicBlockRef found = lox_block(emitter, "invoke.found");
  LLVMBasicBlockRef shadowed = lox_block(emitter, "invoke.field");
  LLVMBasicBlockRef done = lox_block(emitter, "invoke.done");

  lox_guard(emitter, lox_is_object(emitter, receiver), miss);
  struct lox_cache_entry cached = lox_look_up(emitter, &lox_invoke_layout, cache, boxed, miss);
  LLVMBasicBlockRef hit = lox_current_block(emitter);
  lox_jump(emitter, known);

  lox_enter(emitter, miss);
  LLVMValueRef words[] = {boxed, cache};
  LLVMValueRef field = lox_call_runtime(emitter, call->line, LOX_ENTRY_INVOKE_MISS, words);
  LLVMValueRef nothing = lox_abi_constant(abi, LOX_VALUE_NOTHING);
  lox_branch(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, field, nothing, ""), found, shadowed);

  lox_enter(emitter, found);
  struct lox_cache_entry searched = lox_cache_found(emitter, cache);
  lox_jump(emitter, known);

  lox_enter(emitter, shadowed);
  LLVMValueRef field_result = lox_call_value(emitter, call->line, lox_any(field), arguments);
  LLVMBasicBlockRef from_field = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, known);
  LLVMValueRef offset = lox_phi(emitter, cached.offset, hit, searched.offset, found);
  LLVMValueRef code = lox_phi(emitter, cached.target, hit, searched.target, found);
  LLVMValueRef class_object = lox_load(emitter, abi->value, boxed, LOX_INSTANCE_CLASS);
  LLVMValueRef closure = lox_load_at(emitter, abi->value, class_object, offset);
  LLVMValueRef method_result = lox_call_method(emitter, call->line, code, closure, boxed, arguments);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return lox_any(lox_phi(emitter, method_result, known, field_result, from_field));
}

struct lox_value lox_emit_super_invoke(struct lox_emitter *emitter, const struct lox_expression *call,
                                       struct lox_arguments *arguments) {
  const struct lox_abi *abi = emitter->abi;
  const struct lox_expression *callee = call->call.callee;
  LLVMValueRef receiver = lox_read(emitter, &callee->super.receiver, callee->line).llvm;
  lox_emit_arguments(emitter, &call->call.arguments, arguments);
  LLVMValueRef superclass = lox_read(emitter, &callee->super.superclass, callee->line).llvm;
  LLVMValueRef cache = lox_make_super_cache(emitter, callee->super.name, arguments->count);
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
