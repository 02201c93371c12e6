#include "frontend-demo/fast/infer.h"

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/natives.h"

/* One pass usually suffices. After this many, locals count as unknown, which is always correct. */
enum { MAX_PASSES = 64 };

static enum lox_kind join(enum lox_kind a, enum lox_kind b) {
  if (a == LOX_KIND_NONE || a == b)
    return b;
  return b == LOX_KIND_NONE ? a : LOX_KIND_ANY;
}

/* Two numbers or two strings: other sums fail, so one known kind determines the other. */
static enum lox_kind kind_of_sum(enum lox_kind left, enum lox_kind right) {
  if (left == LOX_KIND_NONE || right == LOX_KIND_NONE)
    return LOX_KIND_NONE;
  if (left == LOX_KIND_NUMBER || right == LOX_KIND_NUMBER)
    return LOX_KIND_NUMBER;
  if (left == LOX_KIND_STRING || right == LOX_KIND_STRING)
    return LOX_KIND_STRING;
  return LOX_KIND_ANY;
}

static enum lox_kind kind_of_binary(const struct lox_expression *expression) {
  switch (expression->binary.op) {
  case LOX_OP_ADD:
    return kind_of_sum(lox_expression_kind(expression->binary.left),
                       lox_expression_kind(expression->binary.right));
  case LOX_OP_SUBTRACT:
  case LOX_OP_MULTIPLY:
  case LOX_OP_DIVIDE: return LOX_KIND_NUMBER;
  default: return LOX_KIND_BOOLEAN;
  }
}

static enum lox_kind kind_of_reference(const struct lox_reference *reference) {
  return reference->variable ? reference->variable->kind : LOX_KIND_ANY;
}

/* NULL if unknown. */
static struct lox_global *called_global(const struct lox_expression *call) {
  const struct lox_expression *callee = call->call.callee;
  if (callee->type != LOX_VARIABLE || callee->variable.kind != LOX_REFERENCE_GLOBAL)
    return NULL;
  struct lox_global *global = callee->variable.global;
  return global->called && global->called->arity == call->call.arguments.count ? global : NULL;
}

static enum lox_kind kind_of_call(const struct lox_expression *call) {
  const struct lox_native_signature *native = lox_called_native(call);
  if (native)
    return native->result;
  const struct lox_global *global = called_global(call);
  return global ? global->called->result : LOX_KIND_ANY;
}

enum lox_kind lox_expression_kind(const struct lox_expression *expression) {
  switch (expression->type) {
  case LOX_NUMBER: return LOX_KIND_NUMBER;
  case LOX_STRING: return LOX_KIND_STRING;
  case LOX_NIL: return LOX_KIND_NIL;
  case LOX_TRUE:
  case LOX_FALSE: return LOX_KIND_BOOLEAN;
  case LOX_LIST: return LOX_KIND_LIST;
  case LOX_VARIABLE: return kind_of_reference(&expression->variable);
  case LOX_ASSIGN: return lox_expression_kind(expression->assign.value);
  case LOX_UNARY: return expression->unary.op == LOX_OP_NEGATE ? LOX_KIND_NUMBER : LOX_KIND_BOOLEAN;
  case LOX_BINARY: return kind_of_binary(expression);
  case LOX_AND:
  case LOX_OR:
    return join(lox_expression_kind(expression->binary.left),
                lox_expression_kind(expression->binary.right));
  case LOX_SET: return lox_expression_kind(expression->set.value);
  case LOX_INDEX_SET: return lox_expression_kind(expression->index_set.value);
  case LOX_CALL: return kind_of_call(expression);
  case LOX_GET:
  case LOX_SUPER:
  case LOX_INDEX: return LOX_KIND_ANY;
  }
  return LOX_KIND_ANY;
}

/* True if the target changed. */
static bool add_values(enum lox_kind *target, const struct lox_expression_list *values) {
  enum lox_kind kind = *target;
  for (uint32_t i = 0; i < values->count; i++)
    kind = join(kind, values->items[i] ? lox_expression_kind(values->items[i]) : LOX_KIND_NIL);
  bool changed = kind != *target;
  *target = kind;
  return changed;
}

static bool pass(const struct lox_program *program) {
  bool changed = false;
  for (uint32_t i = 0; i < program->function_count; i++) {
    struct lox_function *function = program->functions[i];
    for (uint32_t j = 0; j < function->variable_count; j++)
      changed |= add_values(&function->variables[j]->kind, &function->variables[j]->values);
    changed |= add_values(&function->result, &function->returns);
  }
  return changed;
}

static void set_kinds(const struct lox_program *program, enum lox_kind kind) {
  for (uint32_t i = 0; i < program->function_count; i++) {
    struct lox_function *function = program->functions[i];
    function->result = kind;
    for (uint32_t j = 0; j < function->variable_count; j++) {
      if (function->variables[j]->is_inferred)
        function->variables[j]->kind = kind;
    }
  }
}

/* Variables that are not inferred keep LOX_KIND_ANY. */
void lox_infer(struct lox_program *program) {
  set_kinds(program, LOX_KIND_NONE);
  for (int i = 0; i < MAX_PASSES; i++) {
    if (!pass(program))
      return;
  }
  set_kinds(program, LOX_KIND_ANY);
}

static bool ends_with_return(const struct lox_statement_list *list) {
  return list->count > 0 && list->items[list->count - 1]->type == LOX_RETURN;
}

/* If its function is only called, a parameter gets the kinds of all arguments. */
static void infer_parameters(struct lox_program *program) {
  for (uint32_t i = 0; i < program->calls.count; i++) {
    struct lox_global *global = called_global(program->calls.items[i]);
    if (global)
      global->used_count--;
  }
  for (uint32_t i = 0; i < program->calls.count; i++) {
    const struct lox_expression *call = program->calls.items[i];
    const struct lox_global *global = called_global(call);
    for (uint32_t j = 0; global && global->used_count == 0 && j < global->called->arity; j++) {
      struct lox_variable *parameter = global->called->variables[j];
      parameter->is_inferred = true;
      LOX_APPEND(program->arena, parameter->values.items, parameter->values.count,
                 call->call.arguments.items[j]);
    }
  }
}

/* A global named after a native holds the native until the declaration runs. */
void lox_infer_complete(struct lox_program *program) {
  lox_find_natives(program);
  for (uint32_t i = 0; i < program->global_count; i++) {
    struct lox_global *global = program->globals[i];
    if (!global->is_single_function || lox_find_native(&global->name->text))
      continue;
    struct lox_function *function = global->function;
    global->called = function;
    if (!ends_with_return(&function->body))
      LOX_APPEND(program->arena, function->returns.items, function->returns.count, NULL);
  }
  infer_parameters(program);
  lox_infer(program);
}
