/* Optimisations; a frontend works without them. */
#ifndef LOX_FAST_FAST_H
#define LOX_FAST_FAST_H

#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/infer.h"

struct lox_value lox_get_property(struct lox_emitter *emitter, int line, struct lox_value object,
                                  const struct lox_name *name);
void lox_set_property(struct lox_emitter *emitter, int line, struct lox_value object,
                      const struct lox_name *name, struct lox_value value);
struct lox_value lox_super_get_property(struct lox_emitter *emitter, int line,
                                        LLVMValueRef receiver, LLVMValueRef superclass,
                                        const struct lox_name *name);
struct lox_value lox_invoke(struct lox_emitter *emitter, int line, struct lox_value receiver,
                            const struct lox_name *name, struct lox_arguments *arguments);

/* Certainly held by the variable, or NULL. */
const struct lox_function *lox_known_function(const struct lox_emitter *emitter,
                                              const struct lox_reference *reference);
const struct lox_class *lox_known_class(const struct lox_emitter *emitter,
                                        const struct lox_reference *reference);

struct lox_value lox_call_known_function(struct lox_emitter *emitter, int line,
                                         const struct lox_function *function, LLVMValueRef callee,
                                         const struct lox_value *values,
                                         struct lox_arguments *arguments);

/* False for NULL, and for a class that inherits its initializer: call it as a value. */
bool lox_constructs_itself(const struct lox_emitter *emitter, const struct lox_class *class_);

struct lox_value lox_construct_known_class(struct lox_emitter *emitter, int line,
                                           const struct lox_class *class_, LLVMValueRef callee,
                                           struct lox_arguments *arguments);

/* For callers that do not know the class, and for subclasses that inherit the initializer. */
void lox_emit_construct(struct lox_unit_emitter *unit, const struct lox_class *class_);

struct lox_native_signature;

/* The program must not replace the native. The number of values must be right. */
struct lox_value lox_call_native(struct lox_emitter *emitter, int line,
                                 const struct lox_native_signature *native,
                                 const struct lox_value *arguments);

#endif
