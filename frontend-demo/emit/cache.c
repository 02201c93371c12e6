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

static struct lox_cache_entry load_entry(struct lox_emitter *emitter, const struct lox_cache_layout *layout,
                                         LLVMValueRef cache, size_t start) {
  return (struct lox_cache_entry){
      .offset = lox_load(emitter, emitter->abi->word, cache, start + layout->offset),
      .target = lox_load(emitter, emitter->abi->pointer, cache, start + layout->target),
  };
}

static void add_incoming(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef block) {
  LLVMAddIncoming(phi, &value, &block, 1);
}

struct lox_cache_entry lox_look_up(struct lox_emitter *emitter, const struct lox_cache_layout *layout,
                                   LLVMValueRef cache, LLVMValueRef object, LLVMBasicBlockRef miss) {
  const struct lox_abi *abi = emitter->abi;
  LLVMValueRef header = lox_load(emitter, abi->pointer, object, 0);
  LLVMBasicBlockRef test = lox_current_block(emitter);
  LLVMBasicBlockRef hit = lox_block(emitter, "hit");
  lox_enter(emitter, hit);
  struct lox_cache_entry entry = {.offset = LLVMBuildPhi(emitter->builder, abi->word, ""),
                                  .target = LLVMBuildPhi(emitter->builder, abi->pointer, "")};

  for (size_t start = 0; start < LOX_CACHE_ENTRIES * layout->entry_size; start += layout->entry_size) {
    bool is_last = start + layout->entry_size == LOX_CACHE_ENTRIES * layout->entry_size;
    LLVMBasicBlockRef other = is_last ? miss : lox_block(emitter, "other");
    lox_enter(emitter, test);
    LLVMValueRef key = lox_load(emitter, abi->pointer, cache, start + layout->key);
    lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, header, key, ""), other);
    struct lox_cache_entry candidate = load_entry(emitter, layout, cache, start);
    add_incoming(entry.offset, candidate.offset, lox_current_block(emitter));
    add_incoming(entry.target, candidate.target, lox_current_block(emitter));
    lox_jump(emitter, hit);
    test = other;
  }
  lox_enter(emitter, hit);
  return entry;
}

struct lox_cache_entry lox_cache_found(struct lox_emitter *emitter, LLVMValueRef cache) {
  return load_entry(emitter, &lox_invoke_layout, cache, offsetof(struct lox_invoke_cache, found));
}
