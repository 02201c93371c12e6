/* Calls. Code gets its closure, the receiver if it is a method's, and the arguments, all boxed. */
#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/fast/infer.h"
#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/syntax/natives.h"

/* The arguments' values, not boxed yet. */
static struct lox_value *emit_values(struct lox_emitter *emitter,
                                     const struct lox_expression_list *list,
                                     struct lox_arguments *arguments) {
  struct lox_value *values =
      lox_arena_allocate(emitter->unit->arena, (list->count + 1) * sizeof *values);
  arguments->count = list->count;
  for (uint32_t i = 0; i < list->count; i++)
    values[i] = lox_emit_expression(emitter, list->items[i]);
  return values;
}

static void box_arguments(struct lox_emitter *emitter, const struct lox_value *values,
                          struct lox_arguments *arguments) {
  for (uint32_t i = 0; i < arguments->count; i++)
    arguments->words[2 + i] = lox_box(emitter, values[i]);
}

void lox_emit_arguments(struct lox_emitter *emitter, const struct lox_expression_list *list,
                        struct lox_arguments *arguments) {
  box_arguments(emitter, emit_values(emitter, list, arguments), arguments);
}

static LLVMValueRef call_function(struct lox_emitter *emitter, int line, LLVMValueRef code,
                                  LLVMValueRef callee, struct lox_arguments *arguments) {
  arguments->words[1] = callee;
  return lox_call_words(emitter, line, code, &arguments->words[1], 1 + arguments->count);
}

LLVMValueRef lox_call_method(struct lox_emitter *emitter, int line, LLVMValueRef code,
                             LLVMValueRef closure, LLVMValueRef receiver,
                             struct lox_arguments *arguments) {
  arguments->words[0] = closure;
  arguments->words[1] = receiver;
  return lox_call_words(emitter, line, code, arguments->words, 2 + arguments->count);
}

static void call_error(struct lox_emitter *emitter, int line, LLVMValueRef callee, uint32_t count) {
  LLVMValueRef words[] = {callee, lox_abi_word(emitter->abi, count)};
  lox_call_error(emitter, line, LOX_ENTRY_ERROR_CALL, words);
}

LLVMValueRef lox_call_value(struct lox_emitter *emitter, int line, struct lox_value callee,
                            struct lox_arguments *arguments) {
  const struct lox_abi *abi = emitter->abi;
  LLVMTypeRef int32 = LLVMInt32TypeInContext(abi->context);
  LLVMValueRef boxed = lox_box(emitter, callee);
  LLVMBasicBlockRef error = lox_block(emitter, "call.error");

  lox_guard(emitter, lox_is_object(emitter, callee), error);
  LLVMValueRef type = lox_load_header(emitter, boxed);
  LLVMValueRef key = lox_load(emitter, int32, type, offsetof(struct lox_type, call_key));
  LLVMValueRef count = LLVMConstInt(int32, arguments->count, false);
  lox_guard(emitter, LLVMBuildICmp(emitter->builder, LLVMIntEQ, key, count, ""), error);
  LLVMValueRef code = lox_load(emitter, abi->pointer, type, offsetof(struct lox_type, code));
  LLVMBasicBlockRef callable = lox_current_block(emitter);

  lox_enter(emitter, error);
  call_error(emitter, line, boxed, arguments->count);
  lox_enter(emitter, callable);
  return call_function(emitter, line, code, boxed, arguments);
}

/* Emits a call that always fails. The code after it is unreachable. */
static struct lox_value call_wrongly(struct lox_emitter *emitter, int line, LLVMValueRef callee,
                                     uint32_t count) {
  call_error(emitter, line, callee, count);
  lox_enter(emitter, lox_block(emitter, "unreachable"));
  return lox_nil(emitter);
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

static struct lox_value call_known_function(struct lox_emitter *emitter, int line,
                                            const struct lox_function *function,
                                            LLVMValueRef callee, const struct lox_value *values,
                                            struct lox_arguments *arguments) {
  if (arguments->count != function->arity)
    return call_wrongly(emitter, line, callee, arguments->count);
  if (function->has_number_version && are_as_wanted(function, values))
    return call_number_version(emitter, line, function, values);
  /* Code that captures nothing ignores its closure, so the caller need not load it. */
  if (function->capture_count == 0)
    callee = LLVMConstNull(emitter->abi->value);
  box_arguments(emitter, values, arguments);
  LLVMValueRef code = emitter->unit->functions[function->index].code;
  return lox_any(call_function(emitter, line, code, callee, arguments));
}

static struct lox_value construct_known_class(struct lox_emitter *emitter, int line,
                                              const struct lox_class *class_, LLVMValueRef callee,
                                              struct lox_arguments *arguments) {
  const struct lox_function *initializer = emitter->unit->classes[class_->index].initializer;
  if (arguments->count != (initializer ? initializer->arity : 0))
    return call_wrongly(emitter, line, callee, arguments->count);
  return lox_instance(lox_construct(emitter, line, class_, callee, arguments));
}

/* A class that inherits its initializer must be called as a value. */
static bool constructs_itself(const struct lox_emitter *emitter, const struct lox_class *class_) {
  return class_ && (emitter->unit->classes[class_->index].initializer || !class_->superclass);
}

/* The kind of the function's result may be known even if the call is not direct. */
static struct lox_value with_inferred_kind(struct lox_emitter *emitter,
                                           const struct lox_expression *call,
                                           struct lox_value result) {
  enum lox_kind kind = lox_expression_kind(call, emitter->version);
  return result.kind == LOX_KIND_ANY ? lox_unbox(emitter, result.llvm, kind) : result;
}

struct lox_value lox_emit_call(struct lox_emitter *emitter,
                               const struct lox_expression *expression) {
  const struct lox_expression *callee = expression->call.callee;
  struct lox_arguments arguments;
  if (callee->type == LOX_GET)
    return lox_emit_invoke(emitter, expression, &arguments);
  if (callee->type == LOX_SUPER)
    return lox_emit_super_invoke(emitter, expression, &arguments);
  const struct lox_native_signature *native = lox_called_native(expression);
  if (native)
    return lox_emit_native_call(emitter, expression, native);

  struct lox_value value = lox_emit_expression(emitter, callee);
  const struct lox_function *function =
      callee->type == LOX_VARIABLE ? lox_known_function(emitter, &callee->variable) : NULL;
  if (function) {
    const struct lox_value *values = emit_values(emitter, &expression->call.arguments, &arguments);
    value =
        call_known_function(emitter, expression->line, function, value.llvm, values, &arguments);
    return with_inferred_kind(emitter, expression, value);
  }
  lox_emit_arguments(emitter, &expression->call.arguments, &arguments);
  const struct lox_class *class_ =
      callee->type == LOX_VARIABLE ? lox_known_class(emitter, &callee->variable) : NULL;
  if (constructs_itself(emitter, class_))
    return construct_known_class(emitter, expression->line, class_, value.llvm, &arguments);
  return with_inferred_kind(emitter, expression,
                            lox_any(lox_call_value(emitter, expression->line, value, &arguments)));
}
