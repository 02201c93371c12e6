#include "frontend-demo/syntax/infer.h"

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/natives.h"

/* A pass usually settles everything; a chain of locals assigned in unlucky order needs one for each. Beyond this bound
 * the locals are declared unknown, which is always right. */
enum { MAX_PASSES = 64 };

/* One value that reaches a variable. */
struct flow {
  struct lox_variable *variable;
  const struct lox_expression *value; /* NULL: nil */
  bool is_declaration;                /* by `var`: then all the variable's values are in flows */
};

struct flows {
  struct lox_arena *arena;
  struct flow *items;
  uint32_t count;
};

static enum lox_kind join(enum lox_kind a, enum lox_kind b) {
  if (a == LOX_KIND_NONE || a == b)
    return b;
  return b == LOX_KIND_NONE ? a : LOX_KIND_ANY;
}

/* `+` of two numbers or of two strings; one kind known tells the other, since the rest fails. */
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
    return kind_of_sum(lox_expression_kind(expression->binary.left), lox_expression_kind(expression->binary.right));
  case LOX_OP_SUBTRACT:
  case LOX_OP_MULTIPLY:
  case LOX_OP_DIVIDE: return LOX_KIND_NUMBER;
  default: return LOX_KIND_BOOLEAN;
  }
}

static enum lox_kind kind_of_reference(const struct lox_reference *reference) {
  return reference->kind == LOX_REFERENCE_GLOBAL ? LOX_KIND_ANY : reference->variable->kind;
}

static enum lox_kind kind_of_call(const struct lox_expression *expression) {
  const struct lox_native_signature *native = lox_called_native(expression);
  return native ? native->result : LOX_KIND_ANY;
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
  case LOX_OR: return join(lox_expression_kind(expression->binary.left), lox_expression_kind(expression->binary.right));
  case LOX_SET: return lox_expression_kind(expression->set.value);
  case LOX_INDEX_SET: return lox_expression_kind(expression->index_set.value);
  case LOX_CALL: return kind_of_call(expression);
  case LOX_GET:
  case LOX_SUPER:
  case LOX_INDEX: return LOX_KIND_ANY;
  }
  return LOX_KIND_ANY;
}

/* ---- Collecting the flows ---- */

static struct flow *add_flow(struct flows *flows, struct lox_variable *variable, const struct lox_expression *value) {
  flows->items = lox_arena_grow(flows->arena, flows->items, flows->count, sizeof(struct flow));
  struct flow *flow = &flows->items[flows->count++];
  *flow = (struct flow){.variable = variable, .value = value};
  return flow;
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
      add_flow(flows, expression->assign.target.variable, expression->assign.value);
    return;
  case LOX_UNARY: visit_expression(flows, expression->unary.operand); return;
  case LOX_BINARY:
  case LOX_AND:
  case LOX_OR:
    visit_expression(flows, expression->binary.left);
    visit_expression(flows, expression->binary.right);
    return;
  case LOX_CALL:
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

static void visit_statement(struct flows *flows, const struct lox_statement *statement);

static void visit_statements(struct flows *flows, const struct lox_statement_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    visit_statement(flows, list->items[i]);
}

/* Bodies of functions and methods are not entered here: lox_infer visits every function. */
static void visit_statement(struct flows *flows, const struct lox_statement *statement) {
  if (!statement)
    return;
  switch (statement->type) {
  case LOX_EXPRESSION:
  case LOX_PRINT: visit_expression(flows, statement->expression); return;
  case LOX_VAR:
    visit_expression(flows, statement->var.initializer);
    if (statement->var.target.variable)
      add_flow(flows, statement->var.target.variable, statement->var.initializer)->is_declaration = true;
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
  case LOX_RETURN: visit_expression(flows, statement->value); return;
  case LOX_FUNCTION:
  case LOX_CLASS: return;
  }
}

/* ---- The fixpoint ---- */

/* Parameters, functions and classes keep LOX_KIND_ANY, also when they are assigned to. */
static void start_optimistic(const struct flows *flows) {
  for (uint32_t i = 0; i < flows->count; i++) {
    if (flows->items[i].is_declaration)
      flows->items[i].variable->kind = LOX_KIND_NONE;
  }
}

static void declare_unknown(const struct flows *flows) {
  for (uint32_t i = 0; i < flows->count; i++)
    flows->items[i].variable->kind = LOX_KIND_ANY;
}

static bool pass(const struct flows *flows) {
  bool changed = false;
  for (uint32_t i = 0; i < flows->count; i++) {
    const struct flow *flow = &flows->items[i];
    enum lox_kind kind = join(flow->variable->kind, flow->value ? lox_expression_kind(flow->value) : LOX_KIND_NIL);
    changed |= kind != flow->variable->kind;
    flow->variable->kind = kind;
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

void lox_infer(struct lox_program *program) {
  struct flows flows = {.arena = program->arena};
  for (uint32_t i = 0; i < program->function_count; i++)
    visit_statements(&flows, &program->functions[i]->body);
  start_optimistic(&flows);
  if (!settle(&flows))
    declare_unknown(&flows);
}

void lox_infer_complete(struct lox_program *program) {
  lox_find_natives(program);
  lox_infer(program);
}
