#include "frontend-demo/emit/cache.h"

#include "frontend-demo/emit/record.h"
#include "frontend-demo/runtime/abi.h"

/* All bytes before the field at `end`. */
static void record_zeroes(struct lox_record *record, size_t end) {
  for (size_t offset = 0; offset < end; offset += sizeof(uint64_t))
    lox_record_int64(record, offset, 0);
}

LLVMValueRef lox_make_property_cache(struct lox_emitter *emitter, const struct lox_name *name) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_zeroes(&record, offsetof(struct lox_property_cache, name));
  lox_record_pointer(&record, offsetof(struct lox_property_cache, name), lox_unit_name(emitter->unit, name));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_property_cache));
  return lox_record_writable(emitter->unit->module, cache, "property.cache");
}

LLVMValueRef lox_make_invoke_cache(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_zeroes(&record, offsetof(struct lox_invoke_cache, name));
  lox_record_pointer(&record, offsetof(struct lox_invoke_cache, name), lox_unit_name(emitter->unit, name));
  lox_record_int64(&record, offsetof(struct lox_invoke_cache, argument_count), argument_count);
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_invoke_cache));
  return lox_record_writable(emitter->unit->module, cache, "invoke.cache");
}

LLVMValueRef lox_make_super_cache(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_zeroes(&record, offsetof(struct lox_super_cache, name));
  lox_record_pointer(&record, offsetof(struct lox_super_cache, name), lox_unit_name(emitter->unit, name));
  lox_record_int64(&record, offsetof(struct lox_super_cache, argument_count), argument_count);
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_super_cache));
  return lox_record_writable(emitter->unit->module, cache, "super.cache");
}

const struct lox_cache_layout lox_get_layout = {
    .entry_size = sizeof(struct lox_property_entry),
    .key = offsetof(struct lox_property_entry, next_shape),
    .offset = offsetof(struct lox_property_entry, offset),
    .target = offsetof(struct lox_property_entry, next_shape),
};

const struct lox_cache_layout lox_add_layout = {
    .entry_size = sizeof(struct lox_property_entry),
    .key = offsetof(struct lox_property_entry, shape),
    .offset = offsetof(struct lox_property_entry, offset),
    .target = offsetof(struct lox_property_entry, next_shape),
};

const struct lox_cache_layout lox_invoke_layout = {
    .entry_size = sizeof(struct lox_invoke_entry),
    .key = offsetof(struct lox_invoke_entry, shape),
    .offset = offsetof(struct lox_invoke_entry, offset),
    .target = offsetof(struct lox_invoke_entry, code),
};

_Static_assert(offsetof(struct lox_property_cache, entries) == 0, "a cache begins with its entries");
_Static_assert(offsetof(struct lox_invoke_cache, entries) == 0, "a cache begins with its entries");

/* The entry whose key is at `key`. */
static struct lox_cache_entry load_entry(struct lox_emitter *emitter, const struct lox_cache_layout *layout,
                                         LLVMValueRef key) {
  return (struct lox_cache_entry){
      .offset = lox_load(emitter, emitter->abi->word, key, layout->offset - layout->key),
      .target = lox_load(emitter, emitter->abi->pointer, key, layout->target - layout->key),
  };
}

/* header == first entry's key ? first entry : found by lox_cache_find ? that entry : miss */
struct lox_cache_entry lox_look_up(struct lox_emitter *emitter, const struct lox_cache_layout *layout,
                                   LLVMValueRef cache, LLVMValueRef object, LLVMBasicBlockRef miss) {
  const struct lox_abi *abi = emitter->abi;
  LLVMBasicBlockRef others = lox_block(emitter, "others");
  LLVMBasicBlockRef known = lox_block(emitter, "known");
  LLVMValueRef header = lox_load(emitter, abi->pointer, object, 0);

  LLVMValueRef first_key = lox_address(emitter, cache, lox_abi_word(abi, layout->key));
  LLVMValueRef expected = lox_load(emitter, abi->pointer, first_key, 0);
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, header, expected, ""), others);
  struct lox_cache_entry first = load_entry(emitter, layout, first_key);
  LLVMBasicBlockRef from_first = lox_current_block(emitter);
  lox_jump(emitter, known);

  lox_enter(emitter, others);
  LLVMValueRef second_key = lox_address(emitter, first_key, lox_abi_word(abi, layout->entry_size));
  LLVMValueRef arguments[] = {second_key, lox_abi_word(abi, layout->entry_size), header};
  LLVMValueRef key = lox_call_runtime(emitter, LOX_NO_LINE, LOX_ENTRY_CACHE_FIND, arguments);
  lox_guard(emitter, LLVMBuildIsNotNull(emitter->builder, key, ""), miss);
  struct lox_cache_entry other = load_entry(emitter, layout, key);
  LLVMBasicBlockRef from_other = lox_current_block(emitter);
  lox_jump(emitter, known);

  lox_enter(emitter, known);
  return (struct lox_cache_entry){
      .offset = lox_phi(emitter, first.offset, from_first, other.offset, from_other),
      .target = lox_phi(emitter, first.target, from_first, other.target, from_other),
  };
}

struct lox_cache_entry lox_cache_found(struct lox_emitter *emitter, LLVMValueRef cache) {
  size_t key = offsetof(struct lox_invoke_cache, found) + lox_invoke_layout.key;
  return load_entry(emitter, &lox_invoke_layout, lox_address(emitter, cache, lox_abi_word(emitter->abi, key)));
}
