#include "frontend-demo/backend/emitter.h"
#include "support/fatal.h"

struct value_from {
  struct lox_value value;
  LLVMBasicBlockRef block; /* ends with a branch already, or is the current block */
};

/* The value of an expression that was evaluated along one of two ways, boxed unless both have the
 * same kind. Each value is boxed in its own block. */
static struct lox_value join(struct lox_emitter *emitter, struct value_from a, struct value_from b,
                             LLVMBasicBlockRef join_block) {
  enum lox_kind kind = a.value.kind == b.value.kind ? a.value.kind : LOX_KIND_ANY;
  LLVMPositionBuilderBefore(emitter->builder, LLVMGetBasicBlockTerminator(a.block));
  LLVMValueRef from_a = lox_convert(emitter, a.value, kind);
  LLVMPositionBuilderBefore(emitter->builder, LLVMGetBasicBlockTerminator(b.block));
  LLVMValueRef from_b = lox_convert(emitter, b.value, kind);
  lox_enter(emitter, join_block);
  return (struct lox_value){.llvm = lox_phi(emitter, from_a, a.block, from_b, b.block),
                            .kind = kind};
}

/* `and` and `or` give the left operand if it decides, else the right one. */
static struct lox_value emit_logical(struct lox_emitter *emitter,
                                     const struct lox_expression *expression) {
  LLVMBasicBlockRef right_block = lox_block(emitter, "right");
  LLVMBasicBlockRef done = lox_block(emitter, "decided");

  struct lox_value left = lox_emit_expression(emitter, expression->binary.left);
  struct value_from from_left = {left, lox_current_block(emitter)};
  LLVMValueRef truth = lox_is_truthy(emitter, left);
  if (expression->type == LOX_AND)
    lox_branch(emitter, truth, right_block, done);
  else
    lox_branch(emitter, truth, done, right_block);

  lox_enter(emitter, right_block);
  struct lox_value right = lox_emit_expression(emitter, expression->binary.right);
  struct value_from from_right = {right, lox_current_block(emitter)};
  lox_jump(emitter, done);
  return join(emitter, from_left, from_right, done);
}

void lox_emit_condition(struct lox_emitter *emitter, const struct lox_expression *expression,
                        LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise) {
  if (expression->type == LOX_UNARY && expression->unary.op == LOX_OP_NOT) {
    lox_emit_condition(emitter, expression->unary.operand, otherwise, then);
  } else if (expression->type == LOX_AND || expression->type == LOX_OR) {
    LLVMBasicBlockRef right = lox_block(emitter, "right");
    if (expression->type == LOX_AND)
      lox_emit_condition(emitter, expression->binary.left, right, otherwise);
    else
      lox_emit_condition(emitter, expression->binary.left, then, right);
    lox_enter(emitter, right);
    lox_emit_condition(emitter, expression->binary.right, then, otherwise);
  } else {
    struct lox_value value = lox_emit_expression(emitter, expression);
    lox_branch(emitter, lox_is_truthy(emitter, value), then, otherwise);
  }
}

static struct lox_value emit_number(struct lox_emitter *emitter, double number) {
  LLVMValueRef llvm = LLVMConstReal(emitter->abi->number, number);
  bool is_small = number > INT32_MIN && number < INT32_MAX && number == (int32_t)number;
  return is_small ? lox_whole_number(llvm, lox_abi_word(emitter->abi, (uint64_t)(int32_t)number))
                  : lox_number(llvm);
}

static struct lox_value emit_string(struct lox_emitter *emitter,
                                    const struct lox_expression *expression) {
  LLVMValueRef slot = lox_unit_string(emitter->unit, expression->string);
  LLVMValueRef string = lox_load(emitter, emitter->abi->value, slot, 0);
  /* Strings of at most one byte are unique: see runtime/string.h. */
  return (struct lox_value){
      .llvm = string, .kind = LOX_KIND_STRING, .is_unique = expression->string.length <= 1};
}

static struct lox_value emit_assign(struct lox_emitter *emitter,
                                    const struct lox_expression *expression) {
  struct lox_value value = lox_emit_expression(emitter, expression->assign.value);
  lox_assign(emitter, &expression->assign.target, value, expression->line);
  return value;
}

static struct lox_value emit_by_type(struct lox_emitter *emitter,
                                     const struct lox_expression *expression) {
  const struct lox_abi *abi = emitter->abi;
  switch (expression->type) {
  case LOX_NUMBER: return emit_number(emitter, expression->number);
  case LOX_STRING: return emit_string(emitter, expression);
  case LOX_NIL: return lox_nil(emitter);
  case LOX_TRUE: return lox_boolean(LLVMConstInt(abi->boolean, true, false));
  case LOX_FALSE: return lox_boolean(LLVMConstInt(abi->boolean, false, false));
  case LOX_LIST: return lox_emit_list(emitter, expression);
  case LOX_VARIABLE: return lox_read(emitter, &expression->variable, expression->line);
  case LOX_ASSIGN: return emit_assign(emitter, expression);
  case LOX_UNARY: return lox_emit_unary(emitter, expression);
  case LOX_BINARY: return lox_emit_binary(emitter, expression);
  case LOX_AND:
  case LOX_OR: return emit_logical(emitter, expression);
  case LOX_CALL: return lox_emit_call(emitter, expression);
  case LOX_GET: return lox_emit_get(emitter, expression);
  case LOX_SET: return lox_emit_set(emitter, expression);
  case LOX_SUPER: return lox_emit_super_get(emitter, expression);
  case LOX_INDEX: return lox_emit_index(emitter, expression);
  case LOX_INDEX_SET: return lox_emit_index_set(emitter, expression);
  }
  spgc_fatal("expression of type %d", (int)expression->type);
}

struct lox_value lox_emit_expression(struct lox_emitter *emitter,
                                     const struct lox_expression *expression) {
  int line = lox_at_line(emitter, expression->line);
  struct lox_value value = emit_by_type(emitter, expression);
  lox_at_line(emitter, line);
  return value;
}
