#include "frontend-demo/fast/infer.h"

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/natives.h"

/* One pass usually settles everything; a chain of locals assigned in an unlucky order needs one for
 * each. Beyond this bound the locals are declared unknown, which is always right. */
enum { MAX_PASSES = 64 };

/* One value that reaches a variable or is returned. */
struct flow {
  enum lox_kind *target;
  const struct lox_expression *value; /* NULL: nil */
  enum lox_version version;           /* of the function around it */
  bool is_complete;                   /* flows contains all values that reach the target */
};

struct call {
  const struct lox_expression *expression;
  enum lox_version version;
};

struct flows {
  struct lox_arena *arena;
  struct flow *items;
  uint32_t count;
  struct call *calls; /* of functions that globals always hold */
  uint32_t call_count;
  struct lox_function *function; /* being visited */
  enum lox_version version;
};

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

/* ---- Collecting the flows ---- */

static void add_flow(struct flows *flows, struct flow flow) {
  flow.version = flows->version;
  flows->items = lox_arena_grow(flows->arena, flows->items, flows->count, sizeof(struct flow));
  flows->items[flows->count++] = flow;
}

static enum lox_kind *kind_in_version(const struct flows *flows, struct lox_variable *variable) {
  return flows->version == LOX_FOR_NUMBERS ? &variable->number_kind : &variable->kind;
}

static void add_call(struct flows *flows, const struct lox_expression *expression) {
  if (!called_function(expression))
    return;
  flows->calls = lox_arena_grow(flows->arena, flows->calls, flows->call_count, sizeof(struct call));
  flows->calls[flows->call_count++] = (struct call){expression, flows->version};
}

static void note_number(const struct lox_expression *operand) {
  if (operand->type == LOX_VARIABLE && operand->variable.kind == LOX_REFERENCE_LOCAL &&
      operand->variable.variable->is_parameter)
    operand->variable.variable->is_number_parameter = true;
}

/* Notes parameters that are operands of operations on numbers only. */
static void note_numbers(const struct lox_expression *expression) {
  const struct lox_expression *left = expression->binary.left, *right = expression->binary.right;
  switch (expression->binary.op) {
  case LOX_OP_EQUAL:
  case LOX_OP_NOT_EQUAL: return;
  case LOX_OP_ADD:
    if (left->type != LOX_NUMBER && right->type != LOX_NUMBER)
      return;
    break;
  default: break;
  }
  note_number(left);
  note_number(right);
}

static void visit_expression(struct flows *flows, const struct lox_expression *expression);

static void visit_expressions(struct flows *flows, const struct lox_expression_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    visit_expression(flows, list->items[i]);
}

static void visit_expression(struct flows *flows, const struct lox_expression *expression) {
  if (!expression)
    return;
  switch (expression->type) {
  case LOX_NUMBER:
  case LOX_STRING:
  case LOX_NIL:
  case LOX_TRUE:
  case LOX_FALSE:
  case LOX_VARIABLE:
  case LOX_SUPER: return;
  case LOX_LIST: visit_expressions(flows, &expression->list); return;
  case LOX_ASSIGN:
    visit_expression(flows, expression->assign.value);
    if (expression->assign.target.variable)
      add_flow(flows,
               (struct flow){.target = kind_in_version(flows, expression->assign.target.variable),
                             .value = expression->assign.value});
    return;
  case LOX_UNARY:
    if (expression->unary.op == LOX_OP_NEGATE)
      note_number(expression->unary.operand);
    visit_expression(flows, expression->unary.operand);
    return;
  case LOX_BINARY: note_numbers(expression); /* fallthrough */
  case LOX_AND:
  case LOX_OR:
    visit_expression(flows, expression->binary.left);
    visit_expression(flows, expression->binary.right);
    return;
  case LOX_CALL:
    add_call(flows, expression);
    visit_expression(flows, expression->call.callee);
    visit_expressions(flows, &expression->call.arguments);
    return;
  case LOX_GET: visit_expression(flows, expression->get.object); return;
  case LOX_SET:
    visit_expression(flows, expression->set.object);
    visit_expression(flows, expression->set.value);
    return;
  case LOX_INDEX:
    visit_expression(flows, expression->index.object);
    visit_expression(flows, expression->index.index);
    return;
  case LOX_INDEX_SET:
    visit_expression(flows, expression->index_set.object);
    visit_expression(flows, expression->index_set.index);
    visit_expression(flows, expression->index_set.value);
    return;
  }
}

static void add_return(struct flows *flows, const struct lox_expression *value) {
  add_flow(flows, (struct flow){.target = &flows->function->number_result,
                                .value = value,
                                .is_complete = true});
}

static void visit_statement(struct flows *flows, const struct lox_statement *statement);

static void visit_statements(struct flows *flows, const struct lox_statement_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    visit_statement(flows, list->items[i]);
}

/* Does not enter the bodies of functions and methods, because lox_infer visits every function. */
static void visit_statement(struct flows *flows, const struct lox_statement *statement) {
  if (!statement)
    return;
  switch (statement->type) {
  case LOX_EXPRESSION:
  case LOX_PRINT:
  case LOX_ECHO:
  case LOX_THROW: visit_expression(flows, statement->expression); return;
  case LOX_VAR:
    visit_expression(flows, statement->var.initializer);
    if (statement->var.target.variable)
      add_flow(flows,
               (struct flow){.target = kind_in_version(flows, statement->var.target.variable),
                             .value = statement->var.initializer,
                             .is_complete = true});
    return;
  case LOX_BLOCK: visit_statements(flows, &statement->block); return;
  case LOX_IF:
    visit_expression(flows, statement->if_.condition);
    visit_statement(flows, statement->if_.then_branch);
    visit_statement(flows, statement->if_.else_branch);
    return;
  case LOX_WHILE:
    visit_expression(flows, statement->while_.condition);
    visit_statement(flows, statement->while_.body);
    return;
  case LOX_FOR:
    visit_statement(flows, statement->for_.initializer);
    visit_expression(flows, statement->for_.condition);
    visit_expression(flows, statement->for_.increment);
    visit_statement(flows, statement->for_.body);
    return;
  case LOX_TRY:
    visit_statement(flows, statement->try_.body);
    visit_statement(flows, statement->try_.handler);
    visit_statement(flows, statement->try_.finalizer);
    return;
  case LOX_RETURN:
    visit_expression(flows, statement->value);
    if (flows->version == LOX_FOR_NUMBERS)
      add_return(flows, statement->value);
    return;
  case LOX_FUNCTION:
  case LOX_CLASS: flows->function->declares_functions = true; return;
  }
}

static void visit_function(struct flows *flows, struct lox_function *function,
                           enum lox_version version) {
  flows->function = function;
  flows->version = version;
  visit_statements(flows, &function->body);
}

/* ---- The fixpoint ---- */

/* Parameters, functions and classes keep LOX_KIND_ANY, even if they are assigned; number parameters
 * of a version for numbers start as numbers. */
static void start_optimistic(const struct flows *flows) {
  for (uint32_t i = 0; i < flows->count; i++) {
    if (flows->items[i].is_complete)
      *flows->items[i].target = LOX_KIND_NONE;
  }
}

static void declare_unknown(const struct flows *flows) {
  for (uint32_t i = 0; i < flows->count; i++)
    *flows->items[i].target = LOX_KIND_ANY;
}

static bool pass(const struct flows *flows) {
  bool changed = false;
  for (uint32_t i = 0; i < flows->count; i++) {
    const struct flow *flow = &flows->items[i];
    enum lox_kind value =
        flow->value ? lox_expression_kind(flow->value, flow->version) : LOX_KIND_NIL;
    enum lox_kind kind = join(*flow->target, value);
    changed |= kind != *flow->target;
    *flow->target = kind;
  }
  return changed;
}

static bool settle(const struct flows *flows) {
  for (int i = 0; i < MAX_PASSES; i++) {
    if (!pass(flows))
      return true;
  }
  return false;
}

static void solve(const struct flows *flows) {
  start_optimistic(flows);
  if (!settle(flows))
    declare_unknown(flows);
}

static void visit_functions(struct flows *flows, const struct lox_program *program) {
  for (uint32_t i = 0; i < program->function_count; i++)
    visit_function(flows, program->functions[i], LOX_GENERAL);
}

void lox_infer(struct lox_program *program) {
  struct flows flows = {.arena = program->arena};
  visit_functions(&flows, program);
  solve(&flows);
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
static bool can_have_number_version(const struct lox_global *global, bool has_tail_calls) {
  if (!global->is_single_function || lox_find_native(&global->name->text))
    return false;
  const struct lox_function *function = global->function;
  if (has_tail_calls && function->returns_calls)
    return false;
  if (function->declares_functions || function->capture_count > 0)
    return false;
  for (uint32_t i = 0; i < function->arity; i++) {
    if (function->variables[i]->is_number_parameter)
      return true;
  }
  return false;
}

/* Visits all values that reach the function's variables in its version for numbers. */
static void visit_number_version(struct flows *flows, struct lox_function *function) {
  function->has_number_version = true;
  for (uint32_t i = 0; i < function->arity; i++) {
    if (function->variables[i]->is_number_parameter)
      function->variables[i]->number_kind = LOX_KIND_NUMBER;
  }
  visit_function(flows, function, LOX_FOR_NUMBERS);
  if (!ends_with_return(&function->body))
    add_return(flows, NULL);
}

/* Keeps the versions that some call can use. Kinds inferred from another version's result were
 * inferred for such a call. */
static void keep_used_versions(const struct flows *flows, const struct lox_program *program) {
  bool *is_used = lox_arena_allocate(flows->arena, program->function_count * sizeof(bool));
  for (uint32_t i = 0; i < flows->call_count; i++) {
    const struct call *call = &flows->calls[i];
    const struct lox_function *function = called_function(call->expression);
    if (passes_numbers(call->expression, function, call->version))
      is_used[function->index] = true;
  }
  for (uint32_t i = 0; i < program->function_count; i++)
    program->functions[i]->has_number_version &= is_used[i];
}

void lox_infer_complete(struct lox_program *program, bool has_tail_calls) {
  struct flows flows = {.arena = program->arena};
  lox_find_natives(program);
  visit_functions(&flows, program);
  for (uint32_t i = 0; i < program->global_count; i++) {
    if (can_have_number_version(program->globals[i], has_tail_calls))
      visit_number_version(&flows, program->globals[i]->function);
  }
  solve(&flows);
  keep_used_versions(&flows, program);
}
