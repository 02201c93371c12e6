#include "frontend-demo/fast/infer.h"

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/natives.h"

/* One pass usually settles everything; a chain of locals assigned in an unlucky order needs one for
 * each. Beyond this bound the locals are declared unknown, which is always right. */
enum { MAX_PASSES = 64 };

static enum lox_kind join(enum lox_kind a, enum lox_kind b) {
  if (a == LOX_KIND_NONE || a == b)
    return b;
  return b == LOX_KIND_NONE ? a : LOX_KIND_ANY;
}

/* `+` of two numbers or of two strings: one known kind determines the other, because other sums
 * fail. */
static enum lox_kind kind_of_sum(enum lox_kind left, enum lox_kind right) {
  if (left == LOX_KIND_NONE || right == LOX_KIND_NONE)
    return LOX_KIND_NONE;
  if (left == LOX_KIND_NUMBER || right == LOX_KIND_NUMBER)
    return LOX_KIND_NUMBER;
  if (left == LOX_KIND_STRING || right == LOX_KIND_STRING)
    return LOX_KIND_STRING;
  return LOX_KIND_ANY;
}

static enum lox_kind kind_of_binary(const struct lox_expression *expression,
                                    enum lox_version version) {
  switch (expression->binary.op) {
  case LOX_OP_ADD:
    return kind_of_sum(lox_expression_kind(expression->binary.left, version),
                       lox_expression_kind(expression->binary.right, version));
  case LOX_OP_SUBTRACT:
  case LOX_OP_MULTIPLY:
  case LOX_OP_DIVIDE: return LOX_KIND_NUMBER;
  default: return LOX_KIND_BOOLEAN;
  }
}

static enum lox_kind kind_of_reference(const struct lox_reference *reference,
                                       enum lox_version version) {
  return reference->kind == LOX_REFERENCE_GLOBAL ? LOX_KIND_ANY
                                                 : lox_variable_kind(reference->variable, version);
}

/* The function that this call calls if it succeeds; NULL when it is not known. */
static struct lox_function *called_function(const struct lox_expression *call) {
  const struct lox_expression *callee = call->call.callee;
  if (callee->type != LOX_VARIABLE || callee->variable.kind != LOX_REFERENCE_GLOBAL)
    return NULL;
  const struct lox_global *global = callee->variable.global;
  bool is_known =
      global->is_single_function && global->function->arity == call->call.arguments.count;
  return is_known ? global->function : NULL;
}

static bool passes_numbers(const struct lox_expression *call, const struct lox_function *function,
                           enum lox_version version) {
  for (uint32_t i = 0; i < function->arity; i++) {
    if (function->variables[i]->is_number_parameter &&
        lox_expression_kind(call->call.arguments.items[i], version) != LOX_KIND_NUMBER)
      return false;
  }
  return true;
}

static enum lox_kind kind_of_call(const struct lox_expression *call, enum lox_version version) {
  const struct lox_native_signature *native = lox_called_native(call);
  if (native)
    return native->result;
  const struct lox_function *function = called_function(call);
  if (function && function->has_number_version && passes_numbers(call, function, version))
    return function->number_result;
  return LOX_KIND_ANY;
}

enum lox_kind lox_expression_kind(const struct lox_expression *expression,
                                  enum lox_version version) {
  switch (expression->type) {
  case LOX_NUMBER: return LOX_KIND_NUMBER;
  case LOX_STRING: return LOX_KIND_STRING;
  case LOX_NIL: return LOX_KIND_NIL;
  case LOX_TRUE:
  case LOX_FALSE: return LOX_KIND_BOOLEAN;
  case LOX_LIST: return LOX_KIND_LIST;
  case LOX_VARIABLE: return kind_of_reference(&expression->variable, version);
  case LOX_ASSIGN: return lox_expression_kind(expression->assign.value, version);
  case LOX_UNARY: return expression->unary.op == LOX_OP_NEGATE ? LOX_KIND_NUMBER : LOX_KIND_BOOLEAN;
  case LOX_BINARY: return kind_of_binary(expression, version);
  case LOX_AND:
  case LOX_OR:
    return join(lox_expression_kind(expression->binary.left, version),
                lox_expression_kind(expression->binary.right, version));
  case LOX_SET: return lox_expression_kind(expression->set.value, version);
  case LOX_INDEX_SET: return lox_expression_kind(expression->index_set.value, version);
  case LOX_CALL: return kind_of_call(expression, version);
  case LOX_GET:
  case LOX_SUPER:
  case LOX_INDEX: return LOX_KIND_ANY;
  }
  return LOX_KIND_ANY;
}

/* ---- The fixpoint ---- */

/* Adds the kinds of the values to the target. True if it changed. */
static bool add_values(enum lox_kind *target, const struct lox_expression_list *values,
                       enum lox_version version) {
  enum lox_kind kind = *target;
  for (uint32_t i = 0; i < values->count; i++)
    kind = join(kind,
                values->items[i] ? lox_expression_kind(values->items[i], version) : LOX_KIND_NIL);
  bool changed = kind != *target;
  *target = kind;
  return changed;
}

static bool pass(const struct lox_program *program) {
  bool changed = false;
  for (uint32_t i = 0; i < program->function_count; i++) {
    struct lox_function *function = program->functions[i];
    for (uint32_t j = 0; j < function->variable_count; j++) {
      struct lox_variable *variable = function->variables[j];
      changed |= add_values(&variable->kind, &variable->values, LOX_GENERAL);
      if (function->has_number_version)
        changed |= add_values(&variable->number_kind, &variable->values, LOX_FOR_NUMBERS);
    }
    if (function->has_number_version)
      changed |= add_values(&function->number_result, &function->returns, LOX_FOR_NUMBERS);
  }
  return changed;
}

static void set_kinds(const struct lox_program *program, enum lox_kind kind) {
  for (uint32_t i = 0; i < program->function_count; i++) {
    struct lox_function *function = program->functions[i];
    function->number_result = kind;
    for (uint32_t j = 0; j < function->variable_count; j++) {
      struct lox_variable *variable = function->variables[j];
      if (variable->is_inferred || kind == LOX_KIND_ANY)
        variable->kind = variable->number_kind = kind;
    }
  }
}

/* Variables that are not inferred keep LOX_KIND_ANY, even if they are assigned. */
static void solve(const struct lox_program *program) {
  set_kinds(program, LOX_KIND_NONE);
  for (int i = 0; i < MAX_PASSES; i++) {
    if (!pass(program))
      return;
  }
  set_kinds(program, LOX_KIND_ANY);
}

void lox_infer(struct lox_program *program) {
  solve(program);
}

/* ---- Versions for numbers ---- */

static bool ends_with_return(const struct lox_statement_list *list);

/* True if the statement always returns or throws. */
static bool always_returns(const struct lox_statement *statement) {
  switch (statement->type) {
  case LOX_RETURN:
  case LOX_THROW: return true;
  case LOX_TRY:
    if (statement->try_.finalizer && always_returns(statement->try_.finalizer))
      return true;
    return always_returns(statement->try_.body) &&
           (!statement->try_.handler || always_returns(statement->try_.handler));
  case LOX_BLOCK: return ends_with_return(&statement->block);
  case LOX_IF:
    return statement->if_.else_branch && always_returns(statement->if_.then_branch) &&
           always_returns(statement->if_.else_branch);
  default: return false;
  }
}

static bool ends_with_return(const struct lox_statement_list *list) {
  return list->count > 0 && always_returns(list->items[list->count - 1]);
}

/* A global named after a native holds the native until the declaration runs. Versions for numbers
 * differ in type, so their calls are no tail calls. */
static bool returns_calls(const struct lox_function *function) {
  for (uint32_t i = 0; i < function->returns.count; i++) {
    const struct lox_expression *value = function->returns.items[i];
    if (value && value->type == LOX_CALL)
      return true;
  }
  return false;
}

static bool can_have_number_version(const struct lox_global *global, bool has_tail_calls) {
  if (!global->is_single_function || lox_find_native(&global->name->text))
    return false;
  const struct lox_function *function = global->function;
  if (has_tail_calls && returns_calls(function))
    return false;
  if (function->declares_functions || function->capture_count > 0)
    return false;
  for (uint32_t i = 0; i < function->arity; i++) {
    if (function->variables[i]->is_number_parameter)
      return true;
  }
  return false;
}

static void make_number_version(struct lox_arena *arena, struct lox_function *function) {
  function->has_number_version = true;
  for (uint32_t i = 0; i < function->arity; i++) {
    if (function->variables[i]->is_number_parameter)
      function->variables[i]->number_kind = LOX_KIND_NUMBER;
  }
  if (!ends_with_return(&function->body))
    LOX_APPEND(arena, function->returns.items, function->returns.count, NULL);
}

static void find_used_versions(bool *is_used, const struct lox_function *caller,
                               enum lox_version version) {
  for (uint32_t i = 0; i < caller->calls.count; i++) {
    const struct lox_expression *call = caller->calls.items[i];
    const struct lox_function *function = called_function(call);
    if (function && passes_numbers(call, function, version))
      is_used[function->index] = true;
  }
}

/* Keeps the versions that some call can use. Kinds inferred from another version's result were
 * inferred for such a call. */
static void keep_used_versions(const struct lox_program *program) {
  bool *is_used = lox_arena_allocate(program->arena, program->function_count * sizeof(bool));
  for (uint32_t i = 0; i < program->function_count; i++) {
    const struct lox_function *function = program->functions[i];
    find_used_versions(is_used, function, LOX_GENERAL);
    if (function->has_number_version)
      find_used_versions(is_used, function, LOX_FOR_NUMBERS);
  }
  for (uint32_t i = 0; i < program->function_count; i++)
    program->functions[i]->has_number_version &= is_used[i];
}

void lox_infer_complete(struct lox_program *program, bool has_tail_calls) {
  lox_find_natives(program);
  for (uint32_t i = 0; i < program->global_count; i++) {
    if (can_have_number_version(program->globals[i], has_tail_calls))
      make_number_version(program->arena, program->globals[i]->function);
  }
  solve(program);
  keep_used_versions(program);
}
