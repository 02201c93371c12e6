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

enum scope { EVERYWHERE, ON_X86, ON_AARCH64 };

/* The conventions that LLVM has code for, by the numbers of llvm::CallingConv::ID, because the C
 * API names only some. */
static const struct convention {
  unsigned number;
  bool is_walkable; /* the callee saves the registers of C's convention, or fewer */
  enum scope scope;
} conventions[] = {
    {0, true, EVERYWHERE},   /* C */
    {8, true, EVERYWHERE},   /* fast */
    {9, false, EVERYWHERE},  /* cold */
    {10, false, EVERYWHERE}, /* GHC */
    {14, false, EVERYWHERE}, /* preserve_most */
    {15, false, EVERYWHERE}, /* preserve_all */
    {16, true, EVERYWHERE},  /* Swift */
    {17, false, EVERYWHERE}, /* cxx_fast_tls */
    {18, true, EVERYWHERE},  /* tail */
    {20, true, EVERYWHERE},  /* Swift, tail */
    {21, false, EVERYWHERE}, /* preserve_none */
    {64, false, ON_X86},     /* stdcall */
    {65, false, ON_X86},     /* fastcall */
    {70, false, ON_X86},     /* thiscall */
    {78, true, ON_X86},      /* System V, 64 bits */
    {79, false, EVERYWHERE}, /* Windows, 64 bits */
    {80, false, ON_X86},     /* vectorcall */
    {83, false, ON_X86},     /* interrupt */
    {92, false, ON_X86},     /* regcall */
    {97, false, ON_AARCH64}, /* vector calls */
};

static const struct convention *find(unsigned number) {
  for (size_t i = 0; i < sizeof conventions / sizeof *conventions; i++)
    if (conventions[i].number == number)
      return &conventions[i];
  return NULL;
}

static bool is_walkable(unsigned number) {
  return find(number) != NULL && find(number)->is_walkable;
}

bool spgc_check_convention_is_swift(unsigned convention) {
  enum { SWIFT = 16, SWIFT_TAIL = 20 };
  return convention == SWIFT || convention == SWIFT_TAIL;
}

/* Asks for the module's processor only if the convention is one processor's, which few calls have.
 */
static bool has_code(unsigned number, LLVMModuleRef module) {
  const struct convention *known = find(number);
  return known != NULL &&
         (known->scope == EVERYWHERE ||
          spgc_processor_of_module(module)->has_x86_conventions == (known->scope == ON_X86));
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
  return saves_other_registers(function) ? &other_registers : NULL;
}

const char *const spgc_instrumentations[INSTRUMENTATIONS] = {
    "instrument-function-entry", "instrument-function-entry-inlined", "instrument-function-exit",
    "instrument-function-exit-inlined"};

static bool is_known_instrumentation(LLVMAttributeRef attribute) {
  static const char *const names[] = {"mcount", "__cyg_profile_func_enter",
                                      "__cyg_profile_func_exit", "__cyg_profile_func_enter_bare"};
  unsigned length;
  const char *value = LLVMGetStringAttributeValue(attribute, &length);
  return length == 0 || spgc_ir_text_is_among(value, length, names, sizeof names / sizeof *names);
}

static const struct objection *instrumentation_is_known(LLVMValueRef function) {
  static const struct objection objection = {
      47, "LLVM does not know the function that its instrumentation calls",
      "use mcount, __cyg_profile_func_enter or __cyg_profile_func_exit, or remove the attribute"};
  for (size_t i = 0; i < INSTRUMENTATIONS; i++) {
    LLVMAttributeRef attribute = spgc_ir_function_string(function, spgc_instrumentations[i]);
    if (attribute != NULL && !is_known_instrumentation(attribute))
      return &objection;
  }
  return NULL;
}

static const struct objection without_code = {
    47, "LLVM has no code for its calling convention on this processor",
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
  static check_rule *const rules[] = {has_an_ordinary_frame, has_walkable_convention,
                                      instrumentation_is_known};
  return LLVMIsDeclaration(function) ? NULL : FIRST_OF(rules, function);
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
