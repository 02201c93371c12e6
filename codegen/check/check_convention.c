/* A reference may stay in a callee-saved register across a call, and the walker restores only those
 * of C's convention. Allowed conventions are listed, because LLVM adds new ones. */
#include "codegen/check/check.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/parts.h"
#include "codegen/ir/values.h"

/* llvm::CallingConv::ID; the C API names only some. */
enum { C = 0, FAST = 8, SWIFT = 16, TAIL = 18, SWIFT_TAIL = 20, SYSTEM_V = 78 };

static bool is_walkable(unsigned convention) {
  return convention == C || convention == FAST || convention == SWIFT || convention == TAIL ||
         convention == SWIFT_TAIL || convention == SYSTEM_V;
}

bool spgc_check_convention_is_swift(unsigned convention) {
  return convention == SWIFT || convention == SWIFT_TAIL;
}

static bool is_word(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) <= 64;
  case LLVMPointerTypeKind:
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind: return true;
  default: return false;
  }
}

/* The callee pops its arguments on the stack; LLVM's caller counts on other bytes, if one of them
 * is aligned to 16. */
static bool stack_is_popped_right(unsigned convention, LLVMTypeRef function, LLVMModuleRef module) {
  if ((convention != TAIL && convention != SWIFT_TAIL) ||
      spgc_parts_fit_parameters(function, spgc_processor_of_module(module)))
    return true;
  unsigned count = LLVMCountParamTypes(function);
  LLVMTypeRef *parameters = spgc_zeroed(count, sizeof *parameters);
  LLVMGetParamTypes(function, parameters);
  bool result = true;
  for (unsigned i = 0; i < count; i++)
    result &= is_word(parameters[i]);
  free(parameters);
  return result;
}

static const struct objection popped_wrong = {
    32, "LLVM miscompiles tailcc with arguments on the stack and one that is larger than a word",
    "pass the large argument in an object, or at most six words (eight on AArch64) and eight "
    "numbers, or use fastcc"};

static bool saves_other_registers(LLVMValueRef function) {
  return spgc_ir_string(function, "no_caller_saved_registers") != NULL ||
         spgc_ir_string(function, "no_callee_saved_registers") != NULL;
}

static const struct objection other_registers = {
    32,
    "it does not save the registers of its calling convention, so the collector would look for "
    "references in the wrong places",
    "remove no_caller_saved_registers or no_callee_saved_registers"};

static const struct objection *has_an_ordinary_frame(LLVMValueRef function) {
  static const struct objection hardened = {
      33, "LLVM cannot harden the loads of a function with statepoints",
      "remove speculative_load_hardening"};
  static const struct objection second_stack = {
      33, "safestack moves local variables to a stack that the collector does not see",
      "remove safestack (in C, -fsanitize=safe-stack)"};
  static const struct objection no_frame = {
      36, "naked functions and coroutines have no frame a stack map can describe",
      "remove the attribute, or the gc attribute"};
  static const struct {
    const char *attribute;
    const struct objection *objection;
  } refused[] = {{"naked", &no_frame},
                 {"presplitcoroutine", &no_frame},
                 {"speculative_load_hardening", &hardened},
                 {"safestack", &second_stack}};
  if (!spgc_ir_function_is_managed(function))
    return NULL;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (spgc_ir_has_attribute(function, refused[i].attribute))
      return refused[i].objection;
  if (!stack_is_popped_right(LLVMGetFunctionCallConv(function), LLVMGlobalGetValueType(function),
                             LLVMGetGlobalParent(function)))
    return &popped_wrong;
  return saves_other_registers(function) ? &other_registers : NULL;
}

static bool has_walkable_convention(LLVMValueRef function) {
  return !spgc_ir_function_is_managed(function) || is_walkable(LLVMGetFunctionCallConv(function));
}

const struct objection *spgc_check_convention_of_function(LLVMValueRef function) {
  static const struct rule rules[] = {
      JUDGE(has_an_ordinary_frame),
      RULE(has_walkable_convention, 32,
           "a managed function of this calling convention saves registers that the collector does "
           "not look for",
           "use the C calling convention, fastcc, tailcc, swiftcc or swifttailcc"),
  };
  return LLVMIsDeclaration(function) ? NULL : FIRST_OBJECTION(rules, function);
}

const struct objection *spgc_check_convention_of_managed_call(LLVMValueRef call) {
  static const struct objection objection = {
      32,
      "a safepoint in a call of this calling convention would lose references that the callee "
      "keeps in registers",
      "use the C calling convention, fastcc, tailcc, swiftcc or swifttailcc, or mark the call "
      "\"gc-leaf-function\" if it cannot reach a safepoint"};
  if (spgc_ir_call_is_leaf(call))
    return NULL;
  if (spgc_ir_callee(call) != NULL && saves_other_registers(spgc_ir_callee(call)))
    return &other_registers;
  unsigned convention = LLVMGetInstructionCallConv(call);
  if (!stack_is_popped_right(convention, LLVMGetCalledFunctionType(call), spgc_ir_module_of(call)))
    return &popped_wrong;
  return is_walkable(convention) ? NULL : &objection;
}
