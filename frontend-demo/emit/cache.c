#include "frontend-demo/emit/cache.h"

#include "frontend-demo/emit/record.h"
#include "frontend-demo/runtime/abi.h"

/* ---- Making them ---- */

static void record_entries(struct lox_record *record, size_t bytes) {
  for (size_t offset = 0; offset < bytes; offset += sizeof(uint64_t))
    lox_record_int64(record, offset, 0);
}

LLVMValueRef lox_get_cache_make(struct lox_emitter *emitter, const struct lox_name *name) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_entries(&record, offsetof(struct lox_get_cache, miss_count));
  lox_record_int64(&record, offsetof(struct lox_get_cache, miss_count), 0);
  lox_record_pointer(&record, offsetof(struct lox_get_cache, name), lox_unit_name(emitter->unit, name));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_get_cache));
  return lox_record_writable(emitter->unit->module, cache, "get.cache");
}

LLVMValueRef lox_set_cache_make(struct lox_emitter *emitter, const struct lox_name *name) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_entries(&record, offsetof(struct lox_set_cache, miss_count));
  lox_record_int64(&record, offsetof(struct lox_set_cache, miss_count), 0);
  lox_record_pointer(&record, offsetof(struct lox_set_cache, name), lox_unit_name(emitter->unit, name));
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_set_cache));
  return lox_record_writable(emitter->unit->module, cache, "set.cache");
}

LLVMValueRef lox_invoke_cache_make(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count) {
  struct lox_record record;
  lox_record_begin(&record, emitter->abi);
  record_entries(&record, offsetof(struct lox_invoke_cache, miss_count));
  lox_record_int64(&record, offsetof(struct lox_invoke_cache, miss_count), 0);
  lox_record_pointer(&record, offsetof(struct lox_invoke_cache, name), lox_unit_name(emitter->unit, name));
  lox_record_int64(&record, offsetof(struct lox_invoke_cache, argument_count), argument_count);
  LLVMValueRef cache = lox_record_end(&record, sizeof(struct lox_invoke_cache));
  return lox_record_writable(emitter->unit->module, cache, "invoke.cache");
}

LLVMValueRef lox_super_cache_make(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count) {
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

/* ---- Looking into them ---- */

/* Where an entry's words are. */
static const struct entry_layout {
  size_t size;
  size_t shape;
  size_t offset;
  size_t extra; /* 0: none, which is where the shape is */
} entry_layouts[] = {
    [LOX_GET_CACHE] = {sizeof(struct lox_get_entry), offsetof(struct lox_get_entry, shape),
                       offsetof(struct lox_get_entry, offset), 0},
    [LOX_SET_CACHE] = {sizeof(struct lox_set_entry), offsetof(struct lox_set_entry, shape),
                       offsetof(struct lox_set_entry, offset), offsetof(struct lox_set_entry, next_shape)},
    [LOX_INVOKE_CACHE] = {sizeof(struct lox_invoke_entry), offsetof(struct lox_invoke_entry, shape),
                          offsetof(struct lox_invoke_entry, offset), offsetof(struct lox_invoke_entry, code)},
};

_Static_assert(offsetof(struct lox_get_cache, entries) == 0, "entries come first");
_Static_assert(offsetof(struct lox_set_cache, entries) == 0, "entries come first");
_Static_assert(offsetof(struct lox_invoke_cache, entries) == 0, "entries come first");

static struct lox_cache_entry load_entry(struct lox_emitter *emitter, const struct entry_layout *layout,
                                         LLVMValueRef cache, size_t start) {
  struct lox_cache_entry entry = {.offset = lox_load(emitter, emitter->abi->word, cache, start + layout->offset)};
  if (layout->extra != 0)
    entry.extra = lox_load(emitter, emitter->abi->pointer, cache, start + layout->extra);
  return entry;
}

struct lox_cache_entry lox_cache_look_up(struct lox_emitter *emitter, enum lox_cache_kind kind, LLVMValueRef cache,
                                         LLVMValueRef object, LLVMBasicBlockRef miss) {
  const struct lox_abi *abi = emitter->abi;
  const struct entry_layout *layout = &entry_layouts[kind];
  struct lox_cache_entry entries[LOX_CACHE_ENTRIES];
  LLVMBasicBlockRef blocks[LOX_CACHE_ENTRIES];
  LLVMBasicBlockRef hit = lox_block(emitter, "hit");
  LLVMValueRef header = lox_load(emitter, abi->pointer, object, 0);

  for (size_t i = 0; i < LOX_CACHE_ENTRIES; i++) {
    LLVMBasicBlockRef other = i + 1 < LOX_CACHE_ENTRIES ? lox_block(emitter, "other") : miss;
    LLVMValueRef shape = lox_load(emitter, abi->pointer, cache, i * layout->size + layout->shape);
    lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, header, shape, ""), other);
    entries[i] = load_entry(emitter, layout, cache, i * layout->size);
    blocks[i] = lox_current_block(emitter);
    lox_jump(emitter, hit);
    lox_enter(emitter, other);
  }

  lox_enter(emitter, hit);
  struct lox_cache_entry entry = {.offset = LLVMBuildPhi(emitter->builder, abi->word, "")};
  if (layout->extra != 0)
    entry.extra = LLVMBuildPhi(emitter->builder, abi->pointer, "");
  for (size_t i = 0; i < LOX_CACHE_ENTRIES; i++) {
    LLVMAddIncoming(entry.offset, &entries[i].offset, &blocks[i], 1);
    if (layout->extra != 0)
      LLVMAddIncoming(entry.extra, &entries[i].extra, &blocks[i], 1);
  }
  return entry;
}

struct lox_cache_entry lox_cache_found(struct lox_emitter *emitter, LLVMValueRef cache) {
  return load_entry(emitter, &entry_layouts[LOX_INVOKE_CACHE], cache, offsetof(struct lox_invoke_cache, found));
}
