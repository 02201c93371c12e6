/* Code gets its closure, a method's receiver, and the arguments, all boxed. With tail calls all
 * code has at least abi->code_values parameters, which fit registers, so that any call can be a
 * tail call; extra parameters are ignored. */
#include "frontend-demo/emit/unit.h"

void lox_box_arguments(struct lox_emitter *emitter, const struct lox_value *values,
                       struct lox_arguments *arguments) {
  for (uint32_t i = 0; i < arguments->count; i++)
    arguments->words[2 + i] = lox_box(emitter, values[i]);
}

LLVMValueRef lox_call_words(struct lox_emitter *emitter, int line, LLVMValueRef code,
                            const LLVMValueRef *words, uint32_t count) {
  LLVMTypeRef type = lox_abi_code_type(emitter->abi, count);
  uint32_t wanted = LLVMCountParamTypes(type);
  LLVMValueRef passed[2 + UINT8_MAX];
  for (uint32_t i = 0; i < wanted; i++)
    passed[i] = i < count ? words[i] : LLVMGetPoison(emitter->abi->value);
  return lox_call_code(emitter, line, type, code, passed, wanted);
}

LLVMValueRef lox_call_closure(struct lox_emitter *emitter, int line, LLVMValueRef code,
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
  return lox_call_closure(emitter, line, code, boxed, arguments);
}

struct lox_value lox_call_wrongly(struct lox_emitter *emitter, int line, LLVMValueRef callee,
                                  uint32_t count) {
  call_error(emitter, line, callee, count);
  lox_enter(emitter, lox_block(emitter, "unreachable"));
  return lox_nil(emitter);
}
