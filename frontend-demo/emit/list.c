#include "frontend-demo/emit/tree.h"
#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/fast.h"

/* Larger literals are filled by calls, to avoid branches. */
enum { ITEMS_IN_LINE_MAX = 16 };

static void fill_item(struct lox_emitter *emitter, LLVMValueRef list, uint32_t index,
                      LLVMValueRef item, bool in_line) {
  if (in_line) {
    LLVMValueRef store = lox_load(emitter, emitter->abi->value, list, LOX_LIST_STORE_FIELD);
    lox_store(emitter, item, store, LOX_STORE_ITEMS + sizeof(struct spgc_ref) * index);
  } else {
    LLVMValueRef arguments[] = {list, lox_abi_word(emitter->abi, index), item};
    lox_call_runtime(emitter, LOX_NO_LINE, LOX_ENTRY_LIST_FILL, arguments);
  }
}

/* Only the list is live while an item is computed: otherwise each call would relocate all previous
 * items. The program cannot see a list that is not full. */
struct lox_value lox_emit_list(struct lox_emitter *emitter,
                               const struct lox_expression *expression) {
  const struct lox_expression_list *items = &expression->list;
  LLVMValueRef count = lox_abi_word(emitter->abi, items->count);
  LLVMValueRef list = lox_call_runtime(emitter, expression->line, LOX_ENTRY_LIST_MAKE, &count);
  for (uint32_t i = 0; i < items->count; i++) {
    /* Ends the block, because compile time grows faster than a block's size. */
    if (i > 0 && i % ITEMS_IN_LINE_MAX == 0)
      lox_poll(emitter);
    LLVMValueRef item = lox_box(emitter, lox_emit_expression(emitter, items->items[i]));
    fill_item(emitter, list, i, item, items->count <= ITEMS_IN_LINE_MAX);
  }
  return (struct lox_value){.llvm = list, .kind = LOX_KIND_LIST};
}

/* At `offset` in the list's store. */
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

/* `object` must be a list and `index` a whole number inside it. */
static struct element require_element(struct lox_emitter *emitter, struct lox_value object,
                                      struct lox_value index, int line) {
  const struct lox_abi *abi = emitter->abi;
  LLVMBasicBlockRef error = lox_block(emitter, "index.error");
  lox_guard_header(emitter, object, lox_abi_descriptor(abi, emitter->module, "lox_list_type"),
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

LLVMValueRef lox_item_offset(struct lox_emitter *emitter, LLVMValueRef index) {
  LLVMValueRef size = lox_abi_word(emitter->abi, sizeof(struct spgc_ref));
  LLVMValueRef bytes = LLVMBuildMul(emitter->builder, index, size, "");
  return LLVMBuildAdd(emitter->builder, bytes, lox_abi_word(emitter->abi, LOX_STORE_ITEMS), "");
}
