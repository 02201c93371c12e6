/* Functions: descriptor, code, adapter for bound methods; closures; return. */
#include <stdio.h>
#include <string.h>

#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/backend/record.h"
#include "frontend-demo/runtime/abi.h"

/* After the header: closure and receiver. */
enum { BOUND_METHOD_WORDS = LOX_BOUND_METHOD_RECEIVER / sizeof(struct spgc_ref) };

static bool is_method(const struct lox_function *function) {
  return function->receiver != NULL;
}

/* Closure, receiver if there is one, parameters. */
static uint32_t value_count(const struct lox_function *function) {
  return 1 + is_method(function) + function->arity;
}

const char *lox_function_display_name(const struct lox_function *function) {
  return function->name ? function->name->text.bytes : "script";
}

/* ---- Descriptors ---- */

/* bound(arguments) is method(closure, receiver, arguments). There is one for each number of
 * arguments in the unit. */
static LLVMValueRef bound_adapter(struct lox_unit_emitter *unit,
                                  const struct lox_function *method) {
  char name[16], symbol[32];
  snprintf(name, sizeof name, "%u", method->arity);
  snprintf(symbol, sizeof symbol, "bound.%u", method->arity);
  LLVMValueRef known = LLVMGetNamedFunction(unit->module, symbol);
  if (known)
    return known;

  LLVMValueRef adapter = lox_add_code(unit, 1 + method->arity, "bound.", name);
  struct lox_emitter emitter;
  lox_emitter_begin(&emitter, unit, method, adapter);
  LLVMValueRef bound = LLVMGetParam(adapter, 0);
  LLVMValueRef closure = lox_load(&emitter, unit->abi.value, bound, LOX_BOUND_METHOD_CLOSURE);
  LLVMValueRef receiver = lox_load(&emitter, unit->abi.value, bound, LOX_BOUND_METHOD_RECEIVER);
  struct lox_arguments arguments = {.count = method->arity};
  for (uint32_t i = 0; i < method->arity; i++)
    arguments.words[2 + i] = lox_passed_word(&emitter, 1 + method->arity, 1 + i);
  LLVMValueRef code = lox_load(&emitter, unit->abi.pointer, lox_load_header(&emitter, closure),
                               offsetof(struct lox_function_type, method_code));
  lox_return_result(&emitter,
                    lox_call_method(&emitter, LOX_NO_LINE, code, closure, receiver, &arguments));
  lox_emitter_end(&emitter);
  return adapter;
}

/* The names of the captured variables. */
static LLVMValueRef emit_capture_names(struct lox_unit_emitter *unit,
                                       const struct lox_function *function) {
  LLVMValueRef *names =
      lox_arena_allocate(unit->arena, (function->capture_count + 1) * sizeof *names);
  for (uint32_t i = 0; i < function->capture_count; i++) {
    const struct lox_string *text = &function->captures[i].variable->name->text;
    names[i] = lox_record_text(&unit->abi, unit->module, text->bytes, text->length);
  }
  return lox_record_array(unit->module, names, function->capture_count, "captures");
}

static LLVMValueRef emit_descriptor(struct lox_unit_emitter *unit,
                                    const struct lox_function *function) {
  const char *name = lox_function_display_name(function);
  LLVMValueRef text = lox_record_text(&unit->abi, unit->module, name, strlen(name));
  LLVMValueRef code = unit->functions[function->index].code;
  LLVMValueRef names = emit_capture_names(unit, function);
  struct lox_record record;
  lox_record_begin(&record, &unit->abi);
  if (is_method(function)) {
    lox_record_type(&record, offsetof(struct lox_function_type, type), function->capture_count,
                    text, LOX_OBJECT_CLOSURE, LOX_NOT_CALLABLE, NULL, names);
    lox_record_type(&record, offsetof(struct lox_function_type, bound_type), BOUND_METHOD_WORDS,
                    text, LOX_OBJECT_BOUND_METHOD, function->arity, bound_adapter(unit, function),
                    NULL);
  } else {
    lox_record_type(&record, offsetof(struct lox_function_type, type), function->capture_count,
                    text, LOX_OBJECT_CLOSURE, function->arity, code, names);
    lox_record_type(&record, offsetof(struct lox_function_type, bound_type), BOUND_METHOD_WORDS,
                    text, LOX_OBJECT_BOUND_METHOD, LOX_NOT_CALLABLE, NULL, NULL);
  }
  lox_record_pointer(&record, offsetof(struct lox_function_type, name), text);
  lox_record_pointer(&record, offsetof(struct lox_function_type, method_code),
                     is_method(function) ? code : NULL);
  lox_record_int32(&record, offsetof(struct lox_function_type, arity), function->arity);
  lox_record_int32(&record, offsetof(struct lox_function_type, capture_count),
                   function->capture_count);
  LLVMValueRef descriptor = lox_record_end(&record, sizeof(struct lox_function_type));
  return lox_record_constant(unit->module, descriptor, "function");
}

void lox_declare_function(struct lox_unit_emitter *unit, const struct lox_function *function) {
  struct lox_function_code *code = &unit->functions[function->index];
  code->homes =
      lox_arena_allocate(unit->arena, (function->variable_count + 1) * sizeof *code->homes);
  code->code =
      lox_add_code(unit, value_count(function), "lox.", lox_function_display_name(function));
  if (function->has_number_version)
    code->number_code = lox_add_code_of_type(unit, lox_number_code_type(&unit->abi, function),
                                             "numbers.", lox_function_display_name(function));
  code->descriptor = emit_descriptor(unit, function);
}

/* ---- Bodies ---- */

/* The check comes before anything else, so that the function's frame holds nothing yet. */
static void emit_stack_check(struct lox_emitter *emitter) {
  LLVMBasicBlockRef overflow = lox_block(emitter, "overflow");
  LLVMValueRef is_low = lox_call_runtime(emitter, LOX_NO_LINE, LOX_ENTRY_STACK_LOW, NULL);
  lox_guard(emitter, LLVMBuildNot(emitter->builder, is_low, ""), overflow);
  LLVMBasicBlockRef body = lox_current_block(emitter);

  lox_enter(emitter, overflow);
  lox_call_error(emitter, LOX_NO_LINE, LOX_ENTRY_ERROR_STACK_OVERFLOW, NULL);
  lox_enter(emitter, body);
}

/* Defines the first variables of a function: its receiver, if any, and its parameters. */
static void define_parameters(struct lox_emitter *emitter) {
  const struct lox_function *function = emitter->function;
  uint32_t count = value_count(function);
  LLVMValueRef passed[2 + UINT8_MAX];
  for (uint32_t i = 1; i < count; i++)
    passed[i] = lox_passed_word(emitter, count, i);
  for (uint32_t i = 1; i < count; i++) {
    const struct lox_variable *variable = function->variables[i - 1];
    lox_define_local(emitter, variable, lox_any(passed[i]), function->line);
  }
}

static void build_return(struct lox_emitter *emitter, LLVMValueRef result) {
  if (emitter->finally)
    lox_return_through_finally(emitter, result);
  else
    lox_return_result(emitter, result);
}

/* Returns nil, or an initializer's receiver. In a version that never returns nil this code is
 * unreachable. */
static void return_by_default(struct lox_emitter *emitter) {
  const struct lox_function *function = emitter->function;
  LLVMValueRef result =
      function->kind == LOX_INITIALIZER ? LLVMGetParam(emitter->code, 1) : lox_nil(emitter).llvm;
  if (emitter->version == LOX_FOR_NUMBERS)
    result = lox_convert(emitter, lox_any(result), function->number_result);
  build_return(emitter, result);
}

void lox_emit_return(struct lox_emitter *emitter, const struct lox_expression *value) {
  if (value) {
    enum lox_kind kind =
        emitter->version == LOX_FOR_NUMBERS ? emitter->function->number_result : LOX_KIND_ANY;
    build_return(emitter, lox_convert(emitter, lox_emit_expression(emitter, value), kind));
  } else {
    return_by_default(emitter);
  }
  lox_enter(emitter, lox_block(emitter, "unreachable"));
}

static void emit_body(struct lox_emitter *emitter) {
  if (emitter->function == emitter->unit->program->script)
    lox_emit_script(emitter);
  else
    lox_emit_statements(emitter, &emitter->function->body);
  lox_at_line(emitter, emitter->function->end_line);
  return_by_default(emitter);
  lox_emitter_end(emitter);
}

/* ---- Versions for numbers ---- */

LLVMTypeRef lox_number_code_type(const struct lox_abi *abi, const struct lox_function *function) {
  LLVMTypeRef parameters[UINT8_MAX];
  for (uint32_t i = 0; i < function->arity; i++)
    parameters[i] = function->variables[i]->is_number_parameter ? abi->number : abi->value;
  return LLVMFunctionType(lox_kind_type(abi, function->number_result), parameters, function->arity,
                          false);
}

static void emit_number_version(struct lox_unit_emitter *unit,
                                const struct lox_function *function) {
  struct lox_emitter emitter;
  lox_emitter_begin(&emitter, unit, function, unit->functions[function->index].number_code);
  emitter.version = LOX_FOR_NUMBERS;
  lox_open_scope(&emitter);
  emit_stack_check(&emitter);
  for (uint32_t i = 0; i < function->arity; i++) {
    const struct lox_variable *variable = function->variables[i];
    LLVMValueRef passed = LLVMGetParam(emitter.code, i);
    struct lox_value value = variable->is_number_parameter ? lox_number(passed) : lox_any(passed);
    lox_define_local(&emitter, variable, value, function->line);
  }
  emit_body(&emitter);
}

/* In the general version: calls the version for numbers if its arguments fit, and continues
 * otherwise. Stack traces show that version's frame. */
static void forward_numbers(struct lox_emitter *emitter) {
  const struct lox_abi *abi = emitter->abi;
  const struct lox_function *function = emitter->function;
  LLVMBasicBlockRef general = lox_block(emitter, "general");
  LLVMValueRef arguments[UINT8_MAX];
  for (uint32_t i = 0; i < function->arity; i++) {
    struct lox_value passed = lox_any(lox_passed_word(emitter, 1 + function->arity, 1 + i));
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

void lox_emit_function(struct lox_unit_emitter *unit, const struct lox_function *function) {
  struct lox_emitter emitter;
  lox_emitter_begin(&emitter, unit, function, unit->functions[function->index].code);
  lox_open_scope(&emitter);
  if (function->has_number_version) {
    emit_number_version(unit, function);
    forward_numbers(&emitter);
  }
  emit_stack_check(&emitter);
  define_parameters(&emitter);
  emit_body(&emitter);
}

/* ---- Closures ---- */

/* Top-level code runs once, so it allocates out of line, which takes less time to compile. */
LLVMValueRef lox_make_closure(struct lox_emitter *emitter, const struct lox_function *function,
                              int line) {
  bool is_top_level = emitter->function == emitter->unit->program->script;
  LLVMValueRef arguments[] = {emitter->unit->functions[function->index].descriptor,
                              lox_abi_word(emitter->abi, 0)};
  return lox_call_runtime(emitter, line,
                          is_top_level ? LOX_ENTRY_ALLOCATE_SLOW : LOX_ENTRY_ALLOCATE, arguments);
}
