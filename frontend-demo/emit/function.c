#include <stdio.h>
#include <string.h>

#include "frontend-demo/emit/tree.h"
#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/fast.h"

/* After the header: closure and receiver. */
enum { BOUND_METHOD_WORDS = LOX_BOUND_METHOD_RECEIVER / sizeof(struct spgc_ref) };

static bool is_method(const struct lox_function *function) {
  return function->receiver != NULL;
}

uint32_t lox_value_count(const struct lox_function *function) {
  return 1 + is_method(function) + function->arity;
}

const char *lox_function_display_name(const struct lox_function *function) {
  return function->name ? function->name->text.bytes : "script";
}

/* bound(arguments) calls method(closure, receiver, arguments). A unit has one per number of
 * arguments. */
static LLVMValueRef bound_adapter(struct lox_unit_emitter *unit,
                                  const struct lox_function *method) {
  char name[16], symbol[32];
  snprintf(name, sizeof name, "%u", method->arity);
  snprintf(symbol, sizeof symbol, "bound.%u", method->arity);
  LLVMValueRef known = LLVMGetNamedFunction(unit->module, symbol);
  if (known)
    return known;

  LLVMValueRef adapter = lox_add_code(&unit->abi, unit->module, 1 + method->arity, "bound.", name);
  struct lox_emitter emitter;
  lox_begin_function(&emitter, unit, method, adapter);
  LLVMValueRef bound = LLVMGetParam(adapter, 0);
  LLVMValueRef closure = lox_load(&emitter, unit->abi.value, bound, LOX_BOUND_METHOD_CLOSURE);
  LLVMValueRef receiver = lox_load(&emitter, unit->abi.value, bound, LOX_BOUND_METHOD_RECEIVER);
  struct lox_arguments arguments = {.count = method->arity};
  for (uint32_t i = 0; i < method->arity; i++)
    arguments.words[2 + i] = LLVMGetParam(adapter, 1 + i);
  LLVMValueRef code = lox_load(&emitter, unit->abi.pointer, lox_load_header(&emitter, closure),
                               offsetof(struct lox_function_type, method_code));
  lox_return_result(&emitter,
                    lox_call_method(&emitter, LOX_NO_LINE, code, closure, receiver, &arguments));
  lox_emitter_end(&emitter);
  return adapter;
}

static LLVMValueRef emit_capture_names(struct lox_unit_emitter *unit,
                                       const struct lox_function *function) {
  LLVMValueRef *names =
      lox_arena_allocate(unit->arena, (function->capture_count + 1) * sizeof *names);
  for (uint32_t i = 0; i < function->capture_count; i++) {
    const struct lox_string *text = &function->captures[i].variable->name->text;
    names[i] = lox_record_text(unit->module, text->bytes, text->length);
  }
  return lox_record_array(unit->module, names, function->capture_count, "captures");
}

static LLVMValueRef emit_descriptor(struct lox_unit_emitter *unit,
                                    const struct lox_function *function) {
  const char *name = lox_function_display_name(function);
  LLVMValueRef text = lox_record_text(unit->module, name, strlen(name));
  LLVMValueRef code = unit->functions[function->index].code;
  LLVMValueRef names = emit_capture_names(unit, function);
  struct lox_record record;
  lox_record_begin(&record, &unit->abi);
  bool is_bound = is_method(function);
  lox_record_type(&record, offsetof(struct lox_function_type, type), function->capture_count, text,
                  LOX_OBJECT_CLOSURE, is_bound ? LOX_NOT_CALLABLE : function->arity,
                  is_bound ? NULL : code, names);
  lox_record_type(&record, offsetof(struct lox_function_type, bound_type), BOUND_METHOD_WORDS, text,
                  LOX_OBJECT_BOUND_METHOD, is_bound ? function->arity : LOX_NOT_CALLABLE,
                  is_bound ? bound_adapter(unit, function) : NULL, NULL);
  LOX_POINTER(&record, lox_function_type, name, text);
  LOX_POINTER(&record, lox_function_type, method_code, is_bound ? code : NULL);
  LOX_INT32(&record, lox_function_type, arity, function->arity);
  LOX_INT32(&record, lox_function_type, capture_count, function->capture_count);
  LLVMValueRef descriptor = lox_record_end(&record, sizeof(struct lox_function_type));
  return lox_record_constant(unit->module, descriptor, "function");
}

void lox_declare_function(struct lox_unit_emitter *unit, const struct lox_function *function) {
  struct lox_function_code *code = &unit->functions[function->index];
  code->homes =
      lox_arena_allocate(unit->arena, (function->variable_count + 1) * sizeof *code->homes);
  code->code = lox_add_code(&unit->abi, unit->module, lox_value_count(function), "lox.",
                            lox_function_display_name(function));
  code->descriptor = emit_descriptor(unit, function);
}

void lox_emit_return(struct lox_emitter *emitter, const struct lox_value *value) {
  bool is_initializer = emitter->source->function->kind == LOX_INITIALIZER;
  LLVMValueRef result = value            ? lox_box(emitter, *value)
                        : is_initializer ? LLVMGetParam(emitter->code, 1)
                                         : lox_nil(emitter).llvm;
  if (emitter->finally)
    lox_return_through_finally(emitter, result);
  else
    lox_return_result(emitter, result);
}

LLVMValueRef lox_make_closure(struct lox_emitter *emitter, const struct lox_function *function,
                              int line) {
  return lox_call_runtime(emitter, line, LOX_ENTRY_ALLOCATE,
                          &emitter->source->unit->functions[function->index].descriptor);
}
