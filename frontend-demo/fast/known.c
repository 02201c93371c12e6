/* Functions and classes that a variable certainly holds: called directly, and with numbers as
 * doubles if the function has a version for numbers. */
#include "frontend-demo/fast/fast.h"
#include "frontend-demo/runtime/abi.h"

const struct lox_function *lox_known_function(const struct lox_emitter *emitter,
                                              const struct lox_reference *reference) {
  const struct lox_unit_emitter *unit = emitter->unit;
  if (reference->kind != LOX_REFERENCE_GLOBAL) {
    const struct lox_variable *variable = reference->variable;
    return unit->functions[variable->owner->index].homes[variable->index].function;
  }
  /* Before its declaration ran, the variable may hold a native function of the same name; later
   * entries of a session may assign anything. */
  const struct lox_global *global = reference->global;
  bool is_certain = global->is_single_function && lox_is_defined(emitter, global) && !unit->session;
  return is_certain ? global->function : NULL;
}

const struct lox_class *lox_known_class(const struct lox_emitter *emitter,
                                        const struct lox_reference *reference) {
  if (reference->kind != LOX_REFERENCE_GLOBAL || emitter->unit->session)
    return NULL;
  const struct lox_global *global = reference->global;
  bool is_certain = global->is_single_class && lox_is_defined(emitter, global);
  return is_certain ? global->class_ : NULL;
}

LLVMTypeRef lox_number_code_type(const struct lox_abi *abi, const struct lox_function *function) {
  LLVMTypeRef parameters[UINT8_MAX];
  for (uint32_t i = 0; i < function->arity; i++)
    parameters[i] = function->variables[i]->is_number_parameter ? abi->number : abi->value;
  return LLVMFunctionType(lox_kind_type(abi, function->number_result), parameters, function->arity,
                          false);
}

/* In the general version: calls the version for numbers if its arguments fit, and continues
 * otherwise. Stack traces show that version's frame. */
void lox_forward_numbers(struct lox_emitter *emitter) {
  const struct lox_abi *abi = emitter->abi;
  const struct lox_function *function = emitter->function;
  LLVMBasicBlockRef general = lox_block(emitter, "general");
  LLVMValueRef arguments[UINT8_MAX];
  for (uint32_t i = 0; i < function->arity; i++) {
    struct lox_value passed = lox_any(LLVMGetParam(emitter->code, 1 + i));
    arguments[i] = passed.llvm;
    if (function->variables[i]->is_number_parameter) {
      lox_guard(emitter, lox_is_number(emitter, passed), general);
      arguments[i] = lox_decode_number(emitter, passed.llvm);
    }
  }
  LLVMValueRef code = emitter->unit->functions[function->index].number_code;
  LLVMTypeRef type = lox_number_code_type(abi, function);
  LLVMValueRef result = lox_call_code(emitter, LOX_NO_LINE, type, code, arguments, function->arity);
  struct lox_value value = {.llvm = result, .kind = function->number_result};
  LLVMBuildRet(emitter->builder, lox_box(emitter, value));
  lox_enter(emitter, general);
}

static bool are_as_wanted(const struct lox_function *function, const struct lox_value *values) {
  for (uint32_t i = 0; i < function->arity; i++) {
    if (function->variables[i]->is_number_parameter && values[i].kind != LOX_KIND_NUMBER)
      return false;
  }
  return true;
}

static struct lox_value call_number_version(struct lox_emitter *emitter, int line,
                                            const struct lox_function *function,
                                            const struct lox_value *values) {
  LLVMValueRef words[UINT8_MAX];
  for (uint32_t i = 0; i < function->arity; i++)
    words[i] =
        function->variables[i]->is_number_parameter ? values[i].llvm : lox_box(emitter, values[i]);
  LLVMValueRef code = emitter->unit->functions[function->index].number_code;
  LLVMTypeRef type = lox_number_code_type(emitter->abi, function);
  LLVMValueRef result = lox_call_code(emitter, line, type, code, words, function->arity);
  return (struct lox_value){.llvm = result, .kind = function->number_result};
}

struct lox_value lox_call_known_function(struct lox_emitter *emitter, int line,
                                         const struct lox_function *function, LLVMValueRef callee,
                                         const struct lox_value *values,
                                         struct lox_arguments *arguments) {
  if (arguments->count != function->arity)
    return lox_call_wrongly(emitter, line, callee, arguments->count);
  if (function->has_number_version && are_as_wanted(function, values))
    return call_number_version(emitter, line, function, values);
  /* Code that captures nothing ignores its closure, so the caller need not load it. */
  if (function->capture_count == 0)
    callee = LLVMConstNull(emitter->abi->value);
  lox_box_arguments(emitter, values, arguments);
  LLVMValueRef code = emitter->unit->functions[function->index].code;
  return lox_any(lox_call_closure(emitter, line, code, callee, arguments));
}
