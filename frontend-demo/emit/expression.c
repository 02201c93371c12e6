#include "frontend-demo/emit/tree.h"
#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/fast.h"
#include "frontend-demo/syntax/natives.h"
#include "support/fatal.h"

struct value_from {
  struct lox_value value;
  LLVMBasicBlockRef block; /* the current block, or one that ends with a branch already */
};

/* The result is boxed unless both have the same kind, each in its own block. */
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

static struct lox_value emit_assign(struct lox_emitter *emitter,
                                    const struct lox_expression *expression) {
  struct lox_value value = lox_emit_expression(emitter, expression->assign.value);
  lox_assign(emitter, &expression->assign.target, value, expression->line);
  return value;
}

/* Not boxed yet. */
static struct lox_value *emit_values(struct lox_emitter *emitter,
                                     const struct lox_expression_list *list,
                                     struct lox_arguments *arguments) {
  struct lox_value *values =
      lox_arena_allocate(emitter->source->unit->arena, (list->count + 1) * sizeof *values);
  arguments->count = list->count;
  for (uint32_t i = 0; i < list->count; i++)
    values[i] = lox_emit_expression(emitter, list->items[i]);
  return values;
}

static void emit_arguments(struct lox_emitter *emitter, const struct lox_expression_list *list,
                           struct lox_arguments *arguments) {
  lox_box_arguments(emitter, emit_values(emitter, list, arguments), arguments);
}

static struct lox_value emit_invoke(struct lox_emitter *emitter,
                                    const struct lox_expression *call) {
  const struct lox_expression *callee = call->call.callee;
  struct lox_arguments arguments;
  struct lox_value receiver = lox_emit_expression(emitter, callee->get.object);
  emit_arguments(emitter, &call->call.arguments, &arguments);
  return lox_invoke(emitter, call->line, receiver, callee->get.name, &arguments);
}

static struct lox_value emit_super_get(struct lox_emitter *emitter,
                                       const struct lox_expression *expression) {
  LLVMValueRef receiver = lox_read(emitter, &expression->super.receiver, expression->line).llvm;
  LLVMValueRef superclass = lox_read(emitter, &expression->super.superclass, expression->line).llvm;
  return lox_super_get_property(emitter, expression->line, receiver, superclass,
                                expression->super.name);
}

static struct lox_value emit_super_invoke(struct lox_emitter *emitter,
                                          const struct lox_expression *call) {
  struct lox_arguments arguments;
  emit_arguments(emitter, &call->call.arguments, &arguments);
  struct lox_value method = emit_super_get(emitter, call->call.callee);
  return lox_any(lox_call_value(emitter, call->line, method, &arguments));
}

/* An indirect call's result may also have a known kind. A tail call's must be returned
 * unchanged. */
static struct lox_value with_inferred_kind(struct lox_emitter *emitter,
                                           const struct lox_expression *call,
                                           struct lox_value result) {
  enum lox_kind kind = lox_expression_kind(call);
  bool is_known = result.kind != LOX_KIND_ANY || emitter->abi->code_values != 0;
  return is_known ? result : lox_unbox(emitter, result.llvm, kind);
}

static struct lox_value emit_call(struct lox_emitter *emitter,
                                  const struct lox_expression *expression) {
  const struct lox_expression *callee = expression->call.callee;
  struct lox_arguments arguments;
  if (callee->type == LOX_GET)
    return emit_invoke(emitter, expression);
  if (callee->type == LOX_SUPER)
    return emit_super_invoke(emitter, expression);
  const struct lox_native_signature *native = lox_called_native(expression);
  if (native)
    return lox_call_native(emitter, expression->line, native,
                           emit_values(emitter, &expression->call.arguments, &arguments));

  struct lox_value value = lox_emit_expression(emitter, callee);
  const struct lox_function *function =
      callee->type == LOX_VARIABLE ? lox_known_function(emitter, &callee->variable) : NULL;
  if (function) {
    const struct lox_value *values = emit_values(emitter, &expression->call.arguments, &arguments);
    value = lox_call_known_function(emitter, expression->line, function, value.llvm, values,
                                    &arguments);
    return with_inferred_kind(emitter, expression, value);
  }
  emit_arguments(emitter, &expression->call.arguments, &arguments);
  const struct lox_class *class_ =
      callee->type == LOX_VARIABLE ? lox_known_class(emitter, &callee->variable) : NULL;
  if (lox_constructs_itself(emitter, class_))
    return lox_construct_known_class(emitter, expression->line, class_, value.llvm, &arguments);
  return with_inferred_kind(emitter, expression,
                            lox_any(lox_call_value(emitter, expression->line, value, &arguments)));
}

static struct lox_value emit_unary(struct lox_emitter *emitter,
                                   const struct lox_expression *expression) {
  struct lox_value operand = lox_emit_expression(emitter, expression->unary.operand);
  return lox_unary(emitter, expression->unary.op, operand, expression->line);
}

static struct lox_value emit_binary(struct lox_emitter *emitter,
                                    const struct lox_expression *expression) {
  struct lox_value left = lox_emit_expression(emitter, expression->binary.left);
  struct lox_value right = lox_emit_expression(emitter, expression->binary.right);
  return lox_binary(emitter, expression->binary.op, left, right, expression->line);
}

static struct lox_value emit_get(struct lox_emitter *emitter,
                                 const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->get.object);
  return lox_get_property(emitter, expression->line, object, expression->get.name);
}

static struct lox_value emit_set(struct lox_emitter *emitter,
                                 const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->set.object);
  struct lox_value value = lox_emit_expression(emitter, expression->set.value);
  lox_set_property(emitter, expression->line, object, expression->set.name, value);
  return value;
}

static struct lox_value emit_index(struct lox_emitter *emitter,
                                   const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->index.object);
  struct lox_value index = lox_emit_expression(emitter, expression->index.index);
  return lox_get_item(emitter, object, index, expression->line);
}

static struct lox_value emit_index_set(struct lox_emitter *emitter,
                                       const struct lox_expression *expression) {
  struct lox_value object = lox_emit_expression(emitter, expression->index_set.object);
  struct lox_value index = lox_emit_expression(emitter, expression->index_set.index);
  struct lox_value value = lox_emit_expression(emitter, expression->index_set.value);
  lox_set_item(emitter, object, index, value, expression->line);
  return value;
}

static struct lox_value emit_by_type(struct lox_emitter *emitter,
                                     const struct lox_expression *expression) {
  switch (expression->type) {
  case LOX_NUMBER:
  case LOX_STRING:
  case LOX_NIL:
  case LOX_TRUE:
  case LOX_FALSE: return lox_emit_literal(emitter, expression);
  case LOX_LIST: return lox_emit_list(emitter, expression);
  case LOX_VARIABLE: return lox_read(emitter, &expression->variable, expression->line);
  case LOX_ASSIGN: return emit_assign(emitter, expression);
  case LOX_UNARY: return emit_unary(emitter, expression);
  case LOX_BINARY: return emit_binary(emitter, expression);
  case LOX_AND:
  case LOX_OR: return emit_logical(emitter, expression);
  case LOX_CALL: return emit_call(emitter, expression);
  case LOX_GET: return emit_get(emitter, expression);
  case LOX_SET: return emit_set(emitter, expression);
  case LOX_SUPER: return emit_super_get(emitter, expression);
  case LOX_INDEX: return emit_index(emitter, expression);
  case LOX_INDEX_SET: return emit_index_set(emitter, expression);
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
