#include "tests/support/lox_tree.h"

#include <stdio.h>

static const char *const operators[] = {
    [LOX_OP_ADD] = "+",      [LOX_OP_SUBTRACT] = "-",
    [LOX_OP_MULTIPLY] = "*", [LOX_OP_DIVIDE] = "/",
    [LOX_OP_EQUAL] = "==",   [LOX_OP_NOT_EQUAL] = "!=",
    [LOX_OP_LESS] = "<",     [LOX_OP_LESS_EQUAL] = "<=",
    [LOX_OP_GREATER] = ">",  [LOX_OP_GREATER_EQUAL] = ">=",
    [LOX_OP_NEGATE] = "-",   [LOX_OP_NOT] = "!",
};

static void write_expression(FILE *out, const struct lox_expression *expression);
static void write_statement(FILE *out, const struct lox_statement *statement);

static void write_reference(FILE *out, const struct lox_reference *reference) {
  switch (reference->kind) {
  case LOX_REFERENCE_LOCAL: fputs(reference->variable->name->text.bytes, out); return;
  case LOX_REFERENCE_CAPTURE: fprintf(out, "^%s", reference->variable->name->text.bytes); return;
  case LOX_REFERENCE_GLOBAL: fprintf(out, "$%s", reference->global->name->text.bytes); return;
  }
}

static void write_expressions(FILE *out, const struct lox_expression_list *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    fputc(' ', out);
    write_expression(out, list->items[i]);
  }
}

static void write_pair(FILE *out, const char *head, const struct lox_expression *a,
                       const struct lox_expression *b) {
  fprintf(out, "(%s ", head);
  write_expression(out, a);
  fputc(' ', out);
  write_expression(out, b);
  fputc(')', out);
}

static void write_access(FILE *out, const struct lox_expression *expression) {
  switch (expression->type) {
  case LOX_GET:
    fputs("(. ", out);
    write_expression(out, expression->get.object);
    fprintf(out, " %s)", expression->get.name->text.bytes);
    return;
  case LOX_SET:
    fputs("(.= ", out);
    write_expression(out, expression->set.object);
    fprintf(out, " %s ", expression->set.name->text.bytes);
    write_expression(out, expression->set.value);
    fputc(')', out);
    return;
  case LOX_INDEX: write_pair(out, "[]", expression->index.object, expression->index.index); return;
  default:
    fputs("([]= ", out);
    write_expression(out, expression->index_set.object);
    fputc(' ', out);
    write_expression(out, expression->index_set.index);
    fputc(' ', out);
    write_expression(out, expression->index_set.value);
    fputc(')', out);
  }
}

static void write_expression(FILE *out, const struct lox_expression *expression) {
  if (!expression) {
    fputc('_', out);
    return;
  }
  switch (expression->type) {
  case LOX_NUMBER: fprintf(out, "%g", expression->number); return;
  case LOX_STRING: fprintf(out, "\"%s\"", expression->string.bytes); return;
  case LOX_NIL: fputs("nil", out); return;
  case LOX_TRUE: fputs("true", out); return;
  case LOX_FALSE: fputs("false", out); return;
  case LOX_LIST:
    fputs("(list", out);
    write_expressions(out, &expression->list);
    fputc(')', out);
    return;
  case LOX_VARIABLE: write_reference(out, &expression->variable); return;
  case LOX_ASSIGN:
    fputs("(= ", out);
    write_reference(out, &expression->assign.target);
    fputc(' ', out);
    write_expression(out, expression->assign.value);
    fputc(')', out);
    return;
  case LOX_UNARY:
    fprintf(out, "(%s ", operators[expression->unary.op]);
    write_expression(out, expression->unary.operand);
    fputc(')', out);
    return;
  case LOX_BINARY:
    write_pair(out, operators[expression->binary.op], expression->binary.left,
               expression->binary.right);
    return;
  case LOX_AND: write_pair(out, "and", expression->binary.left, expression->binary.right); return;
  case LOX_OR: write_pair(out, "or", expression->binary.left, expression->binary.right); return;
  case LOX_CALL:
    fputs("(call ", out);
    write_expression(out, expression->call.callee);
    write_expressions(out, &expression->call.arguments);
    fputc(')', out);
    return;
  case LOX_SUPER: fprintf(out, "(super %s)", expression->super.name->text.bytes); return;
  case LOX_GET:
  case LOX_SET:
  case LOX_INDEX:
  case LOX_INDEX_SET: write_access(out, expression); return;
  }
}

static void write_statements(FILE *out, const struct lox_statement_list *list) {
  for (uint32_t i = 0; i < list->count; i++) {
    fputc(' ', out);
    write_statement(out, list->items[i]);
  }
}

static void write_function(FILE *out, const struct lox_function *function) {
  fputs(" (", out);
  uint32_t first = function->receiver ? 1 : 0;
  for (uint32_t i = 0; i < function->arity; i++)
    fprintf(out, "%s%s", i == 0 ? "" : " ", function->variables[first + i]->name->text.bytes);
  fputc(')', out);
  write_statements(out, &function->body);
  fputc(')', out);
}

static void write_class(FILE *out, const struct lox_class *class_) {
  fputs("(class ", out);
  write_reference(out, &class_->target);
  fputc(' ', out);
  write_expression(out, class_->superclass);
  for (uint32_t i = 0; i < class_->method_count; i++) {
    fprintf(out, " (fun %s", class_->methods[i]->name->text.bytes);
    write_function(out, class_->methods[i]);
  }
  fputc(')', out);
}

static void write_with_expression(FILE *out, const char *head,
                                  const struct lox_expression *expression) {
  fprintf(out, "(%s ", head);
  write_expression(out, expression);
  fputc(')', out);
}

static void write_for(FILE *out, const struct lox_statement *statement) {
  fputs("(for ", out);
  write_statement(out, statement->for_.initializer);
  fputc(' ', out);
  write_expression(out, statement->for_.condition);
  fputc(' ', out);
  write_expression(out, statement->for_.increment);
  fputc(' ', out);
  write_statement(out, statement->for_.body);
  fputc(')', out);
}

static void write_branches(FILE *out, const struct lox_statement *statement) {
  fputs("(if ", out);
  write_expression(out, statement->if_.condition);
  fputc(' ', out);
  write_statement(out, statement->if_.then_branch);
  fputc(' ', out);
  write_statement(out, statement->if_.else_branch);
  fputc(')', out);
}

static void write_try(FILE *out, const struct lox_statement *statement) {
  fputs("(try ", out);
  write_statement(out, statement->try_.body);
  if (statement->try_.handler) {
    fputs(" (catch ", out);
    write_reference(out, &statement->try_.caught);
    fputc(' ', out);
    write_statement(out, statement->try_.handler);
    fputc(')', out);
  }
  if (statement->try_.finalizer) {
    fputs(" (finally ", out);
    write_statement(out, statement->try_.finalizer);
    fputc(')', out);
  }
  fputc(')', out);
}

static void write_statement(FILE *out, const struct lox_statement *statement) {
  if (!statement) {
    fputc('_', out);
    return;
  }
  switch (statement->type) {
  case LOX_EXPRESSION: write_with_expression(out, "do", statement->expression); return;
  case LOX_PRINT: write_with_expression(out, "print", statement->expression); return;
  case LOX_ECHO: write_with_expression(out, "echo", statement->expression); return;
  case LOX_RETURN: write_with_expression(out, "return", statement->value); return;
  case LOX_THROW: write_with_expression(out, "throw", statement->expression); return;
  case LOX_TRY: write_try(out, statement); return;
  case LOX_VAR:
    fputs("(var ", out);
    write_reference(out, &statement->var.target);
    fputc(' ', out);
    write_expression(out, statement->var.initializer);
    fputc(')', out);
    return;
  case LOX_BLOCK:
    fputs("(block", out);
    write_statements(out, &statement->block);
    fputc(')', out);
    return;
  case LOX_IF: write_branches(out, statement); return;
  case LOX_WHILE:
    fputs("(while ", out);
    write_expression(out, statement->while_.condition);
    fputc(' ', out);
    write_statement(out, statement->while_.body);
    fputc(')', out);
    return;
  case LOX_FOR: write_for(out, statement); return;
  case LOX_FUNCTION:
    fputs("(fun ", out);
    write_reference(out, &statement->function.target);
    write_function(out, statement->function.function);
    return;
  case LOX_CLASS: write_class(out, statement->class_); return;
  }
}

char *lox_tree_text(const struct lox_program *program) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  for (uint32_t i = 0; i < program->script->body.count; i++) {
    if (i > 0)
      fputc(' ', out);
    write_statement(out, program->script->body.items[i]);
  }
  fclose(out);
  return text;
}
