/* Lists: literals, and elements at an index. */
#include "frontend-demo/emit/emitter.h"
#include "frontend-demo/runtime/abi.h"

/* The items are evaluated before the list is made: an item's code could otherwise see it half full. */
struct lox_value lox_emit_list(struct lox_emitter *emitter, const struct lox_expression *expression) {
  const struct lox_expression_list *items = &expression->list;
  struct lox_value *values = lox_arena_allocate(emitter->unit->arena, (items->count + 1) * sizeof *values);
  for (uint32_t i = 0; i < items->count; i++)
    values[i] = lox_emit_expression(emitter, items->items[i]);

  LLVMValueRef count = lox_abi_word(emitter->abi, items->count);
  LLVMValueRef list = lox_call_runtime(emitter, expression->line, LOX_ENTRY_LIST_MAKE, &count);
  if (items->count > 0) {
    LLVMValueRef store = lox_load(emitter, emitter->abi->value, list, LOX_LIST_STORE_FIELD);
    for (uint32_t i = 0; i < items->count; i++) {
      uint64_t offset = LOX_STORE_ITEMS + sizeof(struct spgc_ref) * i;
      lox_store_value(emitter, values[i], store, lox_abi_word(emitter->abi, offset));
    }
  }
  return (struct lox_value){.llvm = list, .kind = LOX_KIND_LIST};
}

/* An element inside a list: list->store holds it at `offset`. */
struct element {
  LLVMValueRef store;
  LLVMValueRef offset;
};

static void end_with_index_error(struct lox_emitter *emitter, LLVMBasicBlockRef error, struct lox_value object,
                                 struct lox_value index, int line) {
  LLVMBasicBlockRef inside = lox_current_block(emitter);
  lox_enter(emitter, error);
  LLVMValueRef arguments[] = {lox_box(emitter, object), lox_box(emitter, index)};
  lox_call_error(emitter, line, LOX_ENTRY_ERROR_INDEX, arguments);
  lox_enter(emitter, inside);
}

/* Goes on if `object` is a list and `index` a whole number inside it. The comparisons with the bounds come first, as
 * doubles, because the conversion of a number that does not fit an integer has no defined result. */
static struct element require_element(struct lox_emitter *emitter, struct lox_value object, struct lox_value index,
                                      int line) {
  const struct lox_abi *abi = emitter->abi;
  LLVMBuilderRef builder = emitter->builder;
  LLVMBasicBlockRef error = lox_block(emitter, "index.error");
  lox_guard_header(emitter, object, lox_abi_descriptor(abi, emitter->unit->module, "lox_list_type"), error);
  lox_guard(emitter, lox_is_number(emitter, index), error);

  LLVMValueRef list = lox_box(emitter, object);
  LLVMValueRef number = lox_convert(emitter, index, LOX_KIND_NUMBER);
  LLVMValueRef count = lox_load(emitter, abi->word, list, LOX_LIST_COUNT);
  LLVMValueRef limit = LLVMBuildSIToFP(builder, count, abi->number, "");
  LLVMValueRef not_negative = LLVMBuildFCmp(builder, LLVMRealOGE, number, LLVMConstReal(abi->number, 0), "");
  LLVMValueRef not_past = LLVMBuildFCmp(builder, LLVMRealOLT, number, limit, "");
  lox_guard(emitter, LLVMBuildAnd(builder, not_negative, not_past, ""), error);

  LLVMValueRef whole = LLVMBuildFPToSI(builder, number, abi->word, "");
  LLVMValueRef again = LLVMBuildSIToFP(builder, whole, abi->number, "");
  lox_guard(emitter, LLVMBuildFCmp(builder, LLVMRealOEQ, again, number, ""), error);
  end_with_index_error(emitter, error, object, index, line);

  LLVMValueRef bytes = LLVMBuildMul(builder, whole, lox_abi_word(abi, sizeof(struct spgc_ref)), "");
  return (struct element){
      .store = lox_load(emitter, abi->value, list, LOX_LIST_STORE_FIELD),
      .offset = LLVMBuildAdd(builder, bytes, lox_abi_word(abi, LOX_STORE_ITEMS), ""),
  };
}

struct lox_value lox_emit_index(struct lox_emitter *emitter, const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->index.object);
  struct lox_value index = lox_emit_expression(emitter, expression->index.index);
  struct element element = require_element(emitter, object, index, expression->line);
  return lox_any(lox_load_at(emitter, emitter->abi->value, element.store, element.offset));
}

struct lox_value lox_emit_index_set(struct lox_emitter *emitter, const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->index_set.object);
  struct lox_value index = lox_emit_expression(emitter, expression->index_set.index);
  struct lox_value value = lox_emit_expression(emitter, expression->index_set.value);
  struct element element = require_element(emitter, object, index, expression->line);
  lox_store_value(emitter, value, element.store, element.offset);
  return value;
}
