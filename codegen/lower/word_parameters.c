/* Parameters that are references and look like numbers.
 *
 * An ABI may pass a structure or union of one reference as an integer: clang does so where no
 * register is left for it, and stores the integer in a variable of the structure's type, or casts
 * it, at the function's begin. The poll at the entry comes before that, and so do those of the
 * rounds that a tail recursion becomes, and no collection would rewrite the integer. So a parameter
 * of 8 bytes with which nothing else is done becomes a reference. Both kinds are passed in the same
 * register or place, so that callers in other modules, and calls through pointers, stay right.
 */
#include "codegen/ir/address_use.h"
#include "codegen/ir/function_retype.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/storage.h"

#include <stdlib.h>

#include "codegen/check/check.h"
#include "support/fatal.h"

enum { WORD_BITS = 64 };
enum { STORED, ADDRESS };

static bool is_word(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == WORD_BITS;
}

/* A store of the number in a word that is declared as a reference. */
static bool declares_reference(LLVMTargetDataRef data, LLVMValueRef user, LLVMValueRef number) {
  return LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, STORED) == number &&
         spgc_storage_at(data, spgc_place_of(data, LLVMGetOperand(user, ADDRESS)), 0) ==
             STORAGE_REFERENCE;
}

static bool casts(LLVMValueRef user) {
  return LLVMIsAIntToPtrInst(user) != NULL && spgc_ir_is_reference(user);
}

/* True if a call of the module passes what was computed from an address, and is none. */
static bool is_given_computed(LLVMValueRef function, unsigned parameter) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (LLVMIsAInstruction(call) == NULL || !spgc_ir_is_call(call) ||
        parameter >= LLVMGetNumArgOperands(call))
      continue;
    LLVMValueRef argument = LLVMGetArgOperand(call, parameter);
    if (LLVMIsAPtrToIntInst(argument) == NULL && is_word(LLVMTypeOf(argument)) &&
        spgc_address_source(argument) != NULL)
      return true;
  }
  return false;
}

/* True if the parameter is used as a reference, and in no other way. */
static bool is_reference_word(LLVMTargetDataRef data, LLVMValueRef function, unsigned index) {
  LLVMValueRef parameter = LLVMGetParam(function, index);
  if (!is_word(LLVMTypeOf(parameter)) || is_given_computed(function, index))
    return false;
  for (LLVMUseRef use = LLVMGetFirstUse(parameter); use != NULL; use = LLVMGetNextUse(use))
    if (!casts(LLVMGetUser(use)) && !declares_reference(data, LLVMGetUser(use), parameter))
      return false;
  return LLVMGetFirstUse(parameter) != NULL;
}

/* A musttail call that the function makes or is called by; or NULL. The types of both functions
 * would have to change together. */
static LLVMValueRef musttail_of(LLVMValueRef function) {
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (spgc_ir_call_is_musttail(instruction))
        return instruction;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use))
    if (LLVMIsAInstruction(LLVMGetUser(use)) != NULL && spgc_ir_call_is_musttail(LLVMGetUser(use)))
      return LLVMGetUser(use);
  return NULL;
}

static bool find_words(LLVMTargetDataRef data, LLVMValueRef function, bool *found) {
  bool any = false;
  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    found[i] = is_reference_word(data, function, i);
    any = any || found[i];
  }
  return any;
}

/* `any` becomes true if a parameter becomes a reference. */
static enum spgc_result type_parameters(LLVMTargetDataRef data, LLVMValueRef function, bool *any,
                                        struct spgc_error *error) {
  static const struct objection passed_on = {
      38, "a musttail call passes a structure or union with a reference as a number",
      "pass the reference itself, or call without musttail"};
  bool *words = calloc(LLVMCountParams(function) + 1, sizeof *words);
  spgc_require(words != NULL, "out of memory");
  enum spgc_result result = SPGC_OK;
  if (find_words(data, function, words)) {
    LLVMValueRef musttail = musttail_of(function);
    if (musttail != NULL) {
      result = spgc_reject_instruction(musttail, &passed_on, error);
    } else {
      spgc_function_retype(function, words);
      *any = true;
    }
  }
  free(words);
  return result;
}

static enum spgc_result type_all(LLVMModuleRef module, bool *any, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(module);
  enum spgc_result result = SPGC_OK;
  for (LLVMValueRef function = LLVMGetFirstFunction(module), next;
       function != NULL && result == SPGC_OK; function = next) {
    next = LLVMGetNextFunction(function);
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      result = type_parameters(data, function, any, error);
  }
  return result;
}

/* Again, because a function that only passes its parameter on to one that takes a reference now
 * casts it. */
enum spgc_result spgc_type_parameters(struct lowering *lowering, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (bool any = true; any && result == SPGC_OK;) {
    any = false;
    result = type_all(lowering->module, &any, error);
  }
  return result;
}
