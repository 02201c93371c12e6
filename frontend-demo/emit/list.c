/* Lists: literals, and elements at an index. */
#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/backend/record.h"
#include "frontend-demo/runtime/abi.h"

/* Literals of more items are filled one by one. Otherwise, at each item that makes a call, all
 * items before it would be relocated. */
enum { ITEMS_AT_ONCE_MAX = 16 };

static LLVMValueRef make_list(struct lox_emitter *emitter,
                              const struct lox_expression *expression) {
  LLVMValueRef count = lox_abi_word(emitter->abi, expression->list.count);
  return lox_call_runtime(emitter, expression->line, LOX_ENTRY_LIST_MAKE, &count);
}

static LLVMValueRef emit_items_at_once(struct lox_emitter *emitter,
                                       const struct lox_expression *expression) {
  const struct lox_expression_list *items = &expression->list;
  struct lox_value values[ITEMS_AT_ONCE_MAX];
  for (uint32_t i = 0; i < items->count; i++)
    values[i] = lox_emit_expression(emitter, items->items[i]);

  LLVMValueRef list = make_list(emitter, expression);
  if (items->count > 0) {
    LLVMValueRef store =
        lox_load_structure(emitter, emitter->abi->value, list, LOX_LIST_STORE_FIELD);
    for (uint32_t i = 0; i < items->count; i++) {
      uint64_t offset = LOX_STORE_ITEMS + sizeof(struct spgc_ref) * i;
      lox_store_value(emitter, values[i], store, lox_abi_word(emitter->abi, offset));
    }
  }
  return list;
}

static void emit_item(struct lox_emitter *emitter, const struct lox_expression *expression,
                      LLVMValueRef list, uint32_t index) {
  struct lox_value item = lox_emit_expression(emitter, expression->list.items[index]);
  LLVMValueRef arguments[] = {list, lox_abi_word(emitter->abi, index), lox_box(emitter, item)};
  lox_call_runtime(emitter, expression->line, LOX_ENTRY_LIST_FILL, arguments);
}

static LLVMValueRef literal_record(struct lox_emitter *emitter,
                                   const struct lox_expression *literal) {
  const struct lox_abi *abi = emitter->abi;
  bool is_string = literal->type == LOX_STRING;
  LLVMValueRef slot = is_string ? lox_unit_string(emitter->unit, literal->string) : NULL;
  LLVMValueRef value = is_string ? LLVMConstNull(abi->value)
                                 : lox_box(emitter, lox_emit_expression(emitter, literal));
  struct lox_record record;
  lox_record_begin(&record, abi);
  lox_record_pointer(&record, offsetof(struct lox_literal, slot), slot);
  lox_record_pointer(&record, offsetof(struct lox_literal, value), value);
  return lox_record_end(&record, sizeof(struct lox_literal));
}

/* Emits data, instead of code, for the items from `start` to `end`. */
static void emit_literals(struct lox_emitter *emitter, const struct lox_expression *expression,
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

/* The end of the run of literals that begins at `start`. */
static uint32_t literals_end(const struct lox_expression_list *items, uint32_t start) {
  uint32_t end = start;
  while (end < items->count && lox_is_literal(items->items[end]))
    end++;
  return end;
}

/* Allowed because the program cannot see the list before it is full. */
static LLVMValueRef emit_items_one_by_one(struct lox_emitter *emitter,
                                          const struct lox_expression *expression) {
  LLVMValueRef list = make_list(emitter, expression);
  uint32_t calculated = 0;
  for (uint32_t i = 0; i < expression->list.count;) {
    uint32_t end = literals_end(&expression->list, i);
    if (end > i) {
      emit_literals(emitter, expression, list, i, end);
      i = end;
    } else {
      emit_item(emitter, expression, list, i++);
      if (calculated++ % ITEMS_AT_ONCE_MAX == 0)
        /* Ends the block, because much of a compiler's work grows faster than its blocks. */
        lox_poll(emitter);
    }
  }
  return list;
}

struct lox_value lox_emit_list(struct lox_emitter *emitter,
                               const struct lox_expression *expression) {
  bool at_once = expression->list.count <= ITEMS_AT_ONCE_MAX;
  LLVMValueRef list = at_once ? emit_items_at_once(emitter, expression)
                              : emit_items_one_by_one(emitter, expression);
  return (struct lox_value){.llvm = list, .kind = LOX_KIND_LIST};
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

static LLVMValueRef equals_number(struct lox_emitter *emitter, LLVMValueRef integer,
                                  LLVMValueRef number) {
  LLVMValueRef as_number = LLVMBuildSIToFP(emitter->builder, integer, emitter->abi->number, "");
  return LLVMBuildFCmp(emitter->builder, LLVMRealOEQ, as_number, number, "");
}

/* Continues with the integer that equals the number. The known integer can differ because of
 * rounding: beyond 2^53, or on the way back from there. */
static LLVMValueRef guard_whole(struct lox_emitter *emitter, struct lox_value number,
                                LLVMBasicBlockRef otherwise) {
  LLVMValueRef known = lox_whole(emitter, number);
  LLVMValueRef is_right = equals_number(emitter, known, number.llvm);
  if (!number.whole || LLVMIsConstant(is_right)) {
    lox_guard(emitter, is_right, otherwise);
    return known;
  }
  LLVMBasicBlockRef start = lox_current_block(emitter);
  LLVMBasicBlockRef convert = lox_block(emitter, "whole.convert");
  LLVMBasicBlockRef done = lox_block(emitter, "whole.done");
  lox_branch_likely(emitter, is_right, done, convert);

  lox_enter(emitter, convert);
  LLVMValueRef converted = lox_whole(emitter, lox_number(number.llvm));
  lox_branch(emitter, equals_number(emitter, converted, number.llvm), done, otherwise);
  lox_enter(emitter, done);
  return lox_phi(emitter, known, start, converted, convert);
}

LLVMValueRef lox_guard_index(struct lox_emitter *emitter, struct lox_value index,
                             LLVMValueRef limit, LLVMBasicBlockRef otherwise) {
  lox_guard(emitter, lox_is_number(emitter, index), otherwise);
  if (index.kind != LOX_KIND_NUMBER)
    index = lox_number(lox_convert(emitter, index, LOX_KIND_NUMBER));
  LLVMValueRef whole = guard_whole(emitter, index, otherwise);
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntULT, whole, limit, ""), otherwise);
  return whole;
}

LLVMValueRef lox_item_offset(struct lox_emitter *emitter, LLVMValueRef index) {
  LLVMValueRef size = lox_abi_word(emitter->abi, sizeof(struct spgc_ref));
  LLVMValueRef bytes = LLVMBuildMul(emitter->builder, index, size, "");
  return LLVMBuildAdd(emitter->builder, bytes, lox_abi_word(emitter->abi, LOX_STORE_ITEMS), "");
}

/* Continues if `object` is a list and `index` a whole number inside it. */
static struct element require_element(struct lox_emitter *emitter, struct lox_value object,
                                      struct lox_value index, int line) {
  const struct lox_abi *abi = emitter->abi;
  LLVMBasicBlockRef error = lox_block(emitter, "index.error");
  lox_guard_header(emitter, object, lox_abi_descriptor(abi, emitter->unit->module, "lox_list_type"),
                   error);
  LLVMValueRef list = lox_box(emitter, object);
  LLVMValueRef count = lox_load_structure(emitter, abi->word, list, LOX_LIST_COUNT);
  LLVMValueRef whole = lox_guard_index(emitter, index, count, error);
  end_with_index_error(emitter, error, object, index, line);
  return (struct element){
      .store = lox_load_structure(emitter, abi->value, list, LOX_LIST_STORE_FIELD),
      .offset = lox_item_offset(emitter, whole),
  };
}

struct lox_value lox_emit_index(struct lox_emitter *emitter,
                                const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->index.object);
  struct lox_value index = lox_emit_expression(emitter, expression->index.index);
  struct element element = require_element(emitter, object, index, expression->line);
  return lox_any(lox_load_at(emitter, emitter->abi->value, element.store, element.offset));
}

struct lox_value lox_emit_index_set(struct lox_emitter *emitter,
                                    const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->index_set.object);
  struct lox_value index = lox_emit_expression(emitter, expression->index_set.index);
  struct lox_value value = lox_emit_expression(emitter, expression->index_set.value);
  struct element element = require_element(emitter, object, index, expression->line);
  lox_store_value(emitter, value, element.store, element.offset);
  return value;
}
