/* Rules for calling conventions.
 *
 * A reference that is live across a call may stay in a register that the callee saves, and the
 * walker steps out of a frame by the registers that its function saves. So conventions matter
 * twice. A convention of managed code must save only registers that C's convention saves, and LLVM
 * must support it on this processor. Both rules are lists of allowed conventions, because LLVM adds
 * new ones.
 */
#include "codegen/check/check.h"

#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/processor.h"

/* Numbers of llvm::CallingConv::ID; the C API names only some. */
enum {
  CONVENTION_C = 0,
  CONVENTION_FAST = 8,
  CONVENTION_COLD = 9,
  CONVENTION_GHC = 10,
  CONVENTION_PRESERVE_MOST = 14,
  CONVENTION_PRESERVE_ALL = 15,
  CONVENTION_SWIFT = 16,
  CONVENTION_CXX_FAST_TLS = 17,
  CONVENTION_TAIL = 18,
  CONVENTION_SWIFT_TAIL = 20,
  CONVENTION_PRESERVE_NONE = 21,
  CONVENTION_X86_STDCALL = 64,
  CONVENTION_X86_FASTCALL = 65,
  CONVENTION_X86_THISCALL = 70,
  CONVENTION_X86_64_SYSTEM_V = 78,
  CONVENTION_WIN64 = 79,
  CONVENTION_X86_VECTORCALL = 80,
  CONVENTION_X86_INTERRUPT = 83,
  CONVENTION_X86_REGCALL = 92,
  CONVENTION_AARCH64_VECTOR = 97,
};

static bool is_among(unsigned convention, const unsigned *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == convention)
      return true;
  return false;
}

/* The callee saves the registers of C's convention, or fewer. */
static bool is_walkable(unsigned convention) {
  static const unsigned walkable[] = {CONVENTION_C,          CONVENTION_FAST,
                                      CONVENTION_SWIFT,      CONVENTION_TAIL,
                                      CONVENTION_SWIFT_TAIL, CONVENTION_X86_64_SYSTEM_V};
  return is_among(convention, walkable, sizeof walkable / sizeof *walkable);
}

bool spgc_check_convention_is_swift(unsigned convention) {
  return convention == CONVENTION_SWIFT || convention == CONVENTION_SWIFT_TAIL;
}

/* Asks for the module's processor only if the convention is one processor's, which few calls have.
 */
static bool has_code(unsigned convention, LLVMModuleRef module) {
  static const unsigned others[] = {CONVENTION_COLD,          CONVENTION_GHC,
                                    CONVENTION_PRESERVE_MOST, CONVENTION_PRESERVE_ALL,
                                    CONVENTION_CXX_FAST_TLS,  CONVENTION_PRESERVE_NONE,
                                    CONVENTION_WIN64};
  static const unsigned x86[] = {CONVENTION_X86_64_SYSTEM_V, CONVENTION_X86_STDCALL,
                                 CONVENTION_X86_FASTCALL,    CONVENTION_X86_THISCALL,
                                 CONVENTION_X86_VECTORCALL,  CONVENTION_X86_INTERRUPT,
                                 CONVENTION_X86_REGCALL};
  if (is_among(convention, x86, sizeof x86 / sizeof *x86))
    return spgc_processor_of_module(module)->has_x86_conventions;
  if (convention == CONVENTION_AARCH64_VECTOR)
    return !spgc_processor_of_module(module)->has_x86_conventions;
  return is_walkable(convention) || is_among(convention, others, sizeof others / sizeof *others);
}

/* Clang's attributes of the same names. */
static bool saves_other_registers(LLVMValueRef function) {
  return spgc_ir_function_string(function, "no_caller_saved_registers") != NULL ||
         spgc_ir_function_string(function, "no_callee_saved_registers") != NULL;
}

static const struct objection other_registers = {
    32,
    "it saves other registers than its calling convention does, so the collector would look for "
    "references in the wrong places",
    "remove no_caller_saved_registers or no_callee_saved_registers"};

static const struct objection *saves_registers_of_its_convention(LLVMValueRef function) {
  return spgc_ir_function_is_managed(function) && saves_other_registers(function) ? &other_registers
                                                                                  : NULL;
}

static const struct objection *no_load_hardening(LLVMValueRef function) {
  static const struct objection objection = {
      33, "LLVM cannot harden the loads of a function with statepoints",
      "remove speculative_load_hardening"};
  bool hardened = spgc_ir_function_has_attribute(function, "speculative_load_hardening");
  return spgc_ir_function_is_managed(function) && hardened ? &objection : NULL;
}

static const struct objection *no_second_stack(LLVMValueRef function) {
  static const struct objection objection = {
      33, "safestack moves local variables to a stack that the collector does not see",
      "remove safestack (in C, -fsanitize=safe-stack)"};
  bool moved = spgc_ir_function_has_attribute(function, "safestack");
  return spgc_ir_function_is_managed(function) && moved ? &objection : NULL;
}

static bool is_known_instrumentation(LLVMAttributeRef attribute) {
  static const char *const names[] = {"", "mcount", "__cyg_profile_func_enter",
                                      "__cyg_profile_func_exit", "__cyg_profile_func_enter_bare"};
  unsigned length;
  const char *value = LLVMGetStringAttributeValue(attribute, &length);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (length == strlen(names[i]) && memcmp(value, names[i], length) == 0)
      return true;
  return false;
}

static const struct objection *instrumentation_is_known(LLVMValueRef function) {
  static const struct objection objection = {
      49, "LLVM does not know the function that its instrumentation calls",
      "use mcount, __cyg_profile_func_enter or __cyg_profile_func_exit, or remove the attribute"};
  static const char *const names[] = {
      "instrument-function-entry", "instrument-function-entry-inlined", "instrument-function-exit",
      "instrument-function-exit-inlined"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMAttributeRef attribute = spgc_ir_function_string(function, names[i]);
    if (attribute != NULL && !is_known_instrumentation(attribute))
      return &objection;
  }
  return NULL;
}

static const struct objection without_code = {
    48, "LLVM has no code for its calling convention on this processor",
    "use the C calling convention"};

static const struct objection *has_walkable_convention(LLVMValueRef function) {
  static const struct objection objection = {
      32,
      "a managed function of this calling convention saves registers that the collector does not "
      "look for",
      "use the C calling convention, fastcc, tailcc, swiftcc or swifttailcc"};
  unsigned convention = LLVMGetFunctionCallConv(function);
  if (!has_code(convention, LLVMGetGlobalParent(function)))
    return &without_code;
  return spgc_ir_function_is_managed(function) && !is_walkable(convention) ? &objection : NULL;
}

const struct objection *spgc_check_convention_of_function(LLVMValueRef function) {
  static check_rule *const rules[] = {has_walkable_convention, saves_registers_of_its_convention,
                                      no_load_hardening, no_second_stack, instrumentation_is_known};
  return LLVMIsDeclaration(function) ? NULL : FIRST_OBJECTION(rules, function);
}

/* Calls that are no safepoints may have any convention with code. */
const struct objection *spgc_check_convention_of_call(LLVMValueRef call) {
  return has_code(LLVMGetInstructionCallConv(call), spgc_ir_module_of(call)) ? NULL : &without_code;
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
  return is_walkable(LLVMGetInstructionCallConv(call)) ? NULL : &objection;
}
