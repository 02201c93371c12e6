/* Properties and methods of instances. Each place in the source has a cache of its own
 * (runtime/abi.h). If the cache cannot serve an access, a call of the runtime does the access, and
 * refills the cache. */
#include "frontend-demo/fast/cache.h"
#include "frontend-demo/fast/fast.h"
#include "frontend-demo/runtime/abi.h"

/* Offsets in a property cache, of its first entry. */
enum {
  SHAPE = offsetof(struct lox_property_cache, entries) + offsetof(struct lox_property_entry, shape),
  NEXT_SHAPE = offsetof(struct lox_property_cache, entries) +
               offsetof(struct lox_property_entry, next_shape),
  FIELD_OFFSET =
      offsetof(struct lox_property_cache, entries) + offsetof(struct lox_property_entry, offset),
};

/* ---- Fields ---- */

struct lox_value lox_get_property(struct lox_emitter *emitter, int line, struct lox_value object,
                                  const struct lox_name *name) {
  LLVMValueRef boxed = lox_box(emitter, object);
  LLVMValueRef cache = lox_make_property_cache(emitter, name);
  LLVMBasicBlockRef miss = lox_block(emitter, "get.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "get.done");

  lox_guard(emitter, lox_is_object(emitter, object), miss);
  lox_guard_cached(emitter, cache, NEXT_SHAPE, boxed, miss);
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

/* An initializer's assignments to `this` are expected to add fields, all others to find them. */
static bool adds_field(const struct lox_emitter *emitter, struct lox_value object) {
  return emitter->function->kind == LOX_INITIALIZER && object.is_instance;
}

void lox_set_property(struct lox_emitter *emitter, int line, struct lox_value object,
                      const struct lox_name *name, struct lox_value value) {
  LLVMValueRef boxed = lox_box(emitter, object);
  LLVMValueRef cache = lox_make_property_cache(emitter, name);
  LLVMBasicBlockRef miss = lox_block(emitter, "set.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "set.done");

  bool adds = adds_field(emitter, object);
  lox_guard(emitter, lox_is_object(emitter, object), miss);
  lox_guard_cached(emitter, cache, adds ? SHAPE : NEXT_SHAPE, boxed, miss);
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

/* ---- Methods ---- */

_Static_assert(offsetof(struct lox_invoke_cache, entries) == 0,
               "a cache's address is that of its first entry");

/* The cache's entry for the receiver. */
static LLVMValueRef find_entry(struct lox_emitter *emitter, struct lox_value receiver,
                               LLVMValueRef cache, int line) {
  LLVMValueRef boxed = lox_box(emitter, receiver);
  LLVMBasicBlockRef miss = lox_block(emitter, "invoke.miss");
  LLVMBasicBlockRef done = lox_block(emitter, "invoke.found");
  lox_guard(emitter, lox_is_object(emitter, receiver), miss);
  lox_guard_cached(emitter, cache, offsetof(struct lox_invoke_entry, shape), boxed, miss);
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

/* receiver.name(arguments): usually calls a method, without making a bound method first; a field of
 * that name takes precedence. */
struct lox_value lox_invoke(struct lox_emitter *emitter, int line, struct lox_value receiver,
                            const struct lox_name *name, struct lox_arguments *arguments) {
  const struct lox_abi *abi = emitter->abi;
  LLVMValueRef boxed = lox_box(emitter, receiver);
  LLVMValueRef cache = lox_make_invoke_cache(emitter, name, arguments->count);
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
  LLVMValueRef arguments[] = {superclass, receiver, lox_unit_name(emitter->unit, name)};
  return lox_any(lox_call_runtime(emitter, line, LOX_ENTRY_SUPER_GET, arguments));
}
