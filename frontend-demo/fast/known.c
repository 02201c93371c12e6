#include "frontend-demo/fast/fast.h"

const struct lox_function *lox_known_function(const struct lox_emitter *emitter,
                                              const struct lox_reference *reference) {
  const struct lox_unit_emitter *unit = emitter->source->unit;
  if (reference->kind != LOX_REFERENCE_GLOBAL) {
    const struct lox_variable *variable = reference->variable;
    return unit->functions[variable->owner->index].homes[variable->index].function;
  }
  /* Before its declaration, it may hold a native of that name; later entries of a session may
   * assign anything. */
  const struct lox_global *global = reference->global;
  bool is_certain = global->is_single_function && lox_is_defined(emitter, global) && !unit->session;
  return is_certain ? global->function : NULL;
}

const struct lox_class *lox_known_class(const struct lox_emitter *emitter,
                                        const struct lox_reference *reference) {
  if (reference->kind != LOX_REFERENCE_GLOBAL || emitter->source->unit->session)
    return NULL;
  const struct lox_global *global = reference->global;
  bool is_certain = global->is_single_class && lox_is_defined(emitter, global);
  return is_certain ? global->class_ : NULL;
}

struct lox_value lox_call_known_function(struct lox_emitter *emitter, int line,
                                         const struct lox_function *function, LLVMValueRef callee,
                                         const struct lox_value *values,
                                         struct lox_arguments *arguments) {
  if (arguments->count != function->arity)
    return lox_call_wrongly(emitter, line, callee, arguments->count);
  /* Code that captures nothing ignores its closure, so the caller need not load it. */
  if (function->capture_count == 0)
    callee = LLVMConstNull(emitter->abi->value);
  lox_box_arguments(emitter, values, arguments);
  LLVMValueRef code = emitter->source->unit->functions[function->index].code;
  return lox_any(lox_call_closure(emitter, line, code, callee, arguments));
}
