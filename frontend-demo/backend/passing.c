/* Passing words to code: closure, receiver if it is a method's, arguments.
 *
 * Without tail calls, each word is a parameter of LLVM. With tail calls all code has
 * abi->code_values parameters, which fit registers, so that any call can take the caller's place:
 *
 *   at most code_values words    each in its own parameter; the others mean nothing
 *   more                         the last parameter is a store, which holds the remaining words
 *
 * Such a store is an ordinary object: it lives until the callee has read it, and the collector
 * moves it and updates its words.
 */
#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/runtime/abi.h"

static bool are_in_a_store(const struct lox_abi *abi, uint32_t count) {
  return abi->code_values != 0 && count > abi->code_values;
}

static uint64_t item_offset(uint32_t item) {
  return LOX_STORE_ITEMS + sizeof(struct spgc_ref) * item;
}

static LLVMValueRef store_words(struct lox_emitter *emitter, int line, const LLVMValueRef *words,
                                uint32_t count) {
  LLVMValueRef arguments[] = {
      lox_abi_descriptor(emitter->abi, emitter->unit->module, "lox_list_store_type"),
      lox_abi_word(emitter->abi, count)};
  LLVMValueRef made = lox_call_runtime(emitter, line, LOX_ENTRY_ALLOCATE_ARRAY, arguments);
  for (uint32_t i = 0; i < count; i++)
    lox_store(emitter, words[i], made, item_offset(i));
  return made;
}

LLVMValueRef lox_call_words(struct lox_emitter *emitter, int line, LLVMValueRef code,
                            const LLVMValueRef *words, uint32_t count) {
  const struct lox_abi *abi = emitter->abi;
  LLVMTypeRef type = lox_abi_code_type(abi, count);
  uint32_t wanted = LLVMCountParamTypes(type);
  uint32_t alone = are_in_a_store(abi, count) ? wanted - 1 : count;
  LLVMValueRef passed[2 + UINT8_MAX];
  for (uint32_t i = 0; i < wanted; i++)
    passed[i] = i < alone ? words[i] : LLVMGetPoison(abi->value);
  if (alone < count)
    passed[alone] = store_words(emitter, line, &words[alone], count - alone);
  return lox_call_code(emitter, line, type, code, passed, wanted);
}

LLVMValueRef lox_passed_word(struct lox_emitter *emitter, uint32_t count, uint32_t index) {
  const struct lox_abi *abi = emitter->abi;
  uint32_t last = abi->code_values - 1;
  if (!are_in_a_store(abi, count) || index < last)
    return LLVMGetParam(emitter->code, index);
  return lox_load(emitter, abi->value, LLVMGetParam(emitter->code, last),
                  item_offset(index - last));
}
