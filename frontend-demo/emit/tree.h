/* Functions for expressions and statements walk the tree. The others take values. */
#ifndef LOX_EMIT_TREE_H
#define LOX_EMIT_TREE_H

#include "frontend-demo/emit/unit.h"

struct lox_value lox_emit_expression(struct lox_emitter *emitter,
                                     const struct lox_expression *expression);
void lox_emit_condition(struct lox_emitter *emitter, const struct lox_expression *expression,
                        LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise);

void lox_emit_statement(struct lox_emitter *emitter, const struct lox_statement *statement);
void lox_emit_statements(struct lox_emitter *emitter, const struct lox_statement_list *list);

struct lox_value lox_unary(struct lox_emitter *emitter, enum lox_operator op,
                           struct lox_value operand, int line);
struct lox_value lox_binary(struct lox_emitter *emitter, enum lox_operator op,
                            struct lox_value left, struct lox_value right, int line);

struct lox_value lox_emit_list(struct lox_emitter *emitter,
                               const struct lox_expression *expression);
struct lox_value lox_get_item(struct lox_emitter *emitter, struct lox_value object,
                              struct lox_value index, int line);
void lox_set_item(struct lox_emitter *emitter, struct lox_value object, struct lox_value index,
                  struct lox_value value, int line);

struct lox_value lox_read(struct lox_emitter *emitter, const struct lox_reference *reference,
                          int line);
void lox_assign(struct lox_emitter *emitter, const struct lox_reference *reference,
                struct lox_value value, int line);

/* Also makes its cell, if any. */
void lox_define(struct lox_emitter *emitter, const struct lox_reference *target,
                struct lox_value value, int line);
void lox_define_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                      struct lox_value value, int line);

/* Closure, receiver if any, parameters. */
uint32_t lox_value_count(const struct lox_function *function);

const char *lox_function_display_name(const struct lox_function *function);

void lox_declare_function(struct lox_unit_emitter *unit, const struct lox_function *function);

/* The function's closure, except the script's, was emitted before. */
void lox_emit_function(struct lox_unit_emitter *unit, const struct lox_function *function);

/* lox_fill_closure fills its captures. */
LLVMValueRef lox_make_closure(struct lox_emitter *emitter, const struct lox_function *function,
                              int line);

/* NULL: nil, or an initializer's receiver. */
void lox_emit_return(struct lox_emitter *emitter, const struct lox_value *value);

/* With the adapter that makes instances. */
void lox_declare_class(struct lox_unit_emitter *unit, const struct lox_class *class_);

/* `superclass` may be nil. */
void lox_emit_class(struct lox_emitter *emitter, const struct lox_class *class_,
                    struct lox_value superclass);

#endif
