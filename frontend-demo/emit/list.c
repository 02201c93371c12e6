/* Lists: literals, and elements at an index. */
#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/backend/record.h"
#include "frontend-demo/emit/tree.h"
#include "frontend-demo/fast/fast.h"
#include "frontend-demo/runtime/abi.h"

LLVMValueRef lox_make_list(struct lox_emitter *emitter, uint32_t count, int line) {
  LLVMValueRef word = lox_abi_word(emitter->abi, count);
  return lox_call_runtime(emitter, line, LOX_ENTRY_LIST_MAKE, &word);
}

LLVMValueRef lox_list_of(struct lox_emitter *emitter, const struct lox_value *values,
                         uint32_t count, int line) {
  LLVMValueRef list = lox_make_list(emitter, count, line);
  if (count == 0)
    return list;
  LLVMValueRef store = lox_load(emitter, emitter->abi->value, list, LOX_LIST_STORE_FIELD);
  for (uint32_t i = 0; i < count; i++) {
    uint64_t offset = LOX_STORE_ITEMS + sizeof(struct spgc_ref) * i;
    lox_store(emitter, lox_box(emitter, values[i]), store, offset);
  }
  return list;
}

void lox_fill_item(struct lox_emitter *emitter, LLVMValueRef list, uint32_t index,
                   struct lox_value item, int line) {
  LLVMValueRef arguments[] = {list, lox_abi_word(emitter->abi, index), lox_box(emitter, item)};
  lox_call_runtime(emitter, line, LOX_ENTRY_LIST_FILL, arguments);
}

static LLVMValueRef literal_record(struct lox_emitter *emitter,
                                   const struct lox_expression *literal) {
  const struct lox_abi *abi = emitter->abi;
  bool is_string = literal->type == LOX_STRING;
  LLVMValueRef slot = is_string ? lox_unit_string(emitter->unit, literal->string) : NULL;
  LLVMValueRef value =
      is_string ? LLVMConstNull(abi->value) : lox_box(emitter, lox_emit_literal(emitter, literal));
  struct lox_record record;
  lox_record_begin(&record, abi);
  lox_record_pointer(&record, offsetof(struct lox_literal, slot), slot);
  lox_record_pointer(&record, offsetof(struct lox_literal, value), value);
  return lox_record_end(&record, sizeof(struct lox_literal));
}

/* Emits data, instead of code, for the items from `start` to `end`. */
void lox_fill_literals(struct lox_emitter *emitter, const struct lox_expression *expression,
                       LLVMValueRef list, uint32_t start, uint32_t end) {
  struct lox_unit_emitter *unit = emitter->unit;
  LLVMValueRef *records = lox_arena_allocate(unit->arena, (end - start) * sizeof *records);
  for (uint32_t i = start; i < end; i++)
    records[i - start] = literal_record(emitter, expression->list.items[i]);
  LLVMValueRef table = lox_record_array(unit->module, records, end - start, "literals");
  LLVMValueRef arguments[] = {list, lox_abi_word(emitter->abi, start), table,
                              lox_abi_word(emitter->abi, end - start)};
  lox_call_runtime(emitter, expression->line, LOX_ENTRY_LIST_FILL_LITERALS, arguments);
}

/* An element inside a list: list->store holds it at `offset`. */
struct element {
  LLVMValueRef store;
  LLVMValueRef offset;
};

static void end_with_index_error(struct lox_emitter *emitter, LLVMBasicBlockRef error,
                                 struct lox_value object, struct lox_value index, int line) {
  LLVMBasicBlockRef inside = lox_current_block(emitter);
  lox_enter(emitter, error);
  LLVMValueRef arguments[] = {lox_box(emitter, object), lox_box(emitter, index)};
  lox_call_error(emitter, line, LOX_ENTRY_ERROR_INDEX, arguments);
  lox_enter(emitter, inside);
}

/* Continues if `object` is a list and `index` a whole number inside it. */
static struct element require_element(struct lox_emitter *emitter, struct lox_value object,
                                      struct lox_value index, int line) {
  const struct lox_abi *abi = emitter->abi;
  LLVMBasicBlockRef error = lox_block(emitter, "index.error");
  lox_guard_header(emitter, object, lox_abi_descriptor(abi, emitter->unit->module, "lox_list_type"),
                   error);
  LLVMValueRef list = lox_box(emitter, object);
  LLVMValueRef count = lox_load(emitter, abi->word, list, LOX_LIST_COUNT);
  LLVMValueRef whole = lox_guard_index(emitter, index, count, error);
  end_with_index_error(emitter, error, object, index, line);
  return (struct element){
      .store = lox_load(emitter, abi->value, list, LOX_LIST_STORE_FIELD),
      .offset = lox_item_offset(emitter, whole),
  };
}

struct lox_value lox_get_item(struct lox_emitter *emitter, struct lox_value object,
                              struct lox_value index, int line) {
  struct element element = require_element(emitter, object, index, line);
  return lox_any(lox_load_at(emitter, emitter->abi->value, element.store, element.offset));
}

void lox_set_item(struct lox_emitter *emitter, struct lox_value object, struct lox_value index,
                  struct lox_value value, int line) {
  struct element element = require_element(emitter, object, index, line);
  lox_store_at(emitter, lox_box(emitter, value), element.store, element.offset);
}
