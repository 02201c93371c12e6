/* Rules for calls in managed functions. */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/parts.h"

static const struct objection *assembly_is_leaf(LLVMValueRef call) {
  static const struct objection objection = {
      34, "inline assembly cannot be a statepoint",
      "mark it \"gc-leaf-function\", or move it into a function without gc (in C, one without "
      "references)"};
  return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) && !spgc_ir_call_is_leaf(call) ? &objection
                                                                                   : NULL;
}

/* The result exists wherever the assembly jumps to, and RS4GC has a place to relocate it behind an
 * invoke only, which has one destination. */
static const struct objection *jumps_give_no_references(LLVMValueRef call) {
  static const struct objection objection = {
      34, "LLVM cannot relocate a reference that is the result of inline assembly with labels",
      "let the assembly give a number, and load the reference after it, or use assembly without "
      "labels"};
  return LLVMIsACallBrInst(call) && spgc_ir_type_contains_reference(LLVMTypeOf(call)) ? &objection
                                                                                      : NULL;
}

static const struct objection *tail_calls_pass_registers(LLVMValueRef call) {
  static const struct objection objection = {
      38, "a musttail call with arguments on the stack loses them",
      "pass at most six words (eight on AArch64) and eight numbers or vectors of 16 bytes, and the "
      "rest in an object, or call without musttail"};
  if (!spgc_ir_call_is_musttail(call))
    return NULL;
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  LLVMModuleRef module = spgc_ir_module_of(call);
  return spgc_parts_fit_parameters(type, spgc_processor_of_module(module)) ? NULL : &objection;
}

/* Of the attributes of results, these say how the result is passed. The others are promises. */
const struct objection *spgc_tail_calls_return_alike(LLVMValueRef call) {
  static const struct objection objection = {
      38,
      "a musttail call and its function have different attributes of their results, so LLVM cannot "
      "make it a tail call",
      "give both results the same attributes, or call without musttail"};
  static const char *const names[] = {"zeroext", "signext", "inreg"};
  if (!spgc_ir_call_is_musttail(call))
    return NULL;
  LLVMValueRef function = spgc_ir_function_of(call);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if ((spgc_ir_attribute_at(function, LLVMAttributeReturnIndex, names[i]) == NULL) !=
        (spgc_ir_attribute_at(call, LLVMAttributeReturnIndex, names[i]) == NULL))
      return &objection;
  return NULL;
}

/* The module may have inline functions of the runtime's headers; they are functions like others. */
static bool calls_runtime(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && LLVMIsDeclaration(callee) && spgc_ir_name_starts_with(callee, "spgc_");
}

static const struct objection *tail_calls_are_no_runtime_calls(LLVMValueRef call) {
  static const struct objection objection = {
      38, "a musttail call of the runtime cannot be expanded inline", "call it without musttail"};
  if (!spgc_ir_call_is_musttail(call))
    return NULL;
  return calls_runtime(call) ? &objection : NULL;
}

static const struct objection *no_value_from_varargs_call(LLVMValueRef call) {
  static const struct objection objection = {
      30, "LLVM cannot make a statepoint of a call with variable arguments that returns a value",
      "mark it \"gc-leaf-function\" if it cannot reach a safepoint, or call a function with fixed "
      "parameters"};
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  if (!LLVMIsFunctionVarArg(type) || spgc_ir_call_is_leaf(call) || spgc_ir_is_library_varargs(call))
    return NULL;
  return LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind ? NULL : &objection;
}

/* The argument is a reference, also as a number (so does clang pass a structure of one where no
 * register is left), has one inside, or points to memory that is passed by value, or that
 * the result is written to, and that holds one. */
static bool passes_references(LLVMValueRef call, unsigned argument) {
  LLVMValueRef value = LLVMGetArgOperand(call, argument);
  return spgc_ir_type_contains_reference(LLVMTypeOf(value)) ||
         spgc_ir_is_cast_of_reference(value) || spgc_ir_memory_of_argument(call, argument) != NULL;
}

static const struct objection *no_references_as_varargs(LLVMValueRef call) {
  static const struct objection objection = {
      29, "variable arguments lie in memory the collector does not see",
      "pass references as declared parameters (in C, declare the function with a prototype)"};
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  if (!LLVMIsFunctionVarArg(type) || spgc_ir_call_is_leaf(call) || spgc_ir_is_library_varargs(call))
    return NULL;
  for (unsigned i = LLVMCountParamTypes(type); i < LLVMGetNumArgOperands(call); i++)
    if (passes_references(call, i))
      return &objection;
  return NULL;
}

static const struct objection *no_bundles_of_its_own(LLVMValueRef call) {
  static const struct objection objection = {
      28, "the lowering finds live references itself and would overwrite \"gc-live\"",
      "remove the operand bundle"};
  return spgc_ir_call_has_bundle(call, "gc-live") ? &objection : NULL;
}

static bool each_bundle(LLVMValueRef call, bool (*holds)(LLVMOperandBundleRef bundle)) {
  bool all = true;
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call) && all; i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    all = holds(bundle);
    LLVMDisposeOperandBundle(bundle);
  }
  return all;
}

static bool is_known_bundle(LLVMOperandBundleRef bundle) {
  return spgc_ir_bundle_is(bundle, "deopt") || spgc_ir_bundle_is(bundle, "gc-live") ||
         spgc_ir_bundle_is(bundle, "gc-transition");
}

static const struct objection *bundles_are_kept(LLVMValueRef call) {
  static const struct objection objection = {
      33, "a statepoint does not keep an operand bundle of this kind",
      "remove the operand bundle, or mark the call \"gc-leaf-function\""};
  return spgc_ir_call_is_leaf(call) || each_bundle(call, is_known_bundle) ? NULL : &objection;
}

static bool has_location(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind != LLVMTokenTypeKind && kind != LLVMMetadataTypeKind && kind != LLVMLabelTypeKind &&
         kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind;
}

static bool fits_one_register(LLVMTypeRef type) {
  enum { WORD = 64 };
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
         (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= WORD);
}

/* LLVM writes a location for each value of a "deopt" bundle, which is that of the first part of a
 * structure or array, and keeps those of a "gc-transition" in registers. It crashes for values
 * without one. */
static bool values_are_kept(LLVMOperandBundleRef bundle) {
  bool is_state = spgc_ir_bundle_is(bundle, "deopt");
  for (unsigned i = 0; i < LLVMGetNumOperandBundleArgs(bundle); i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperandBundleArgAtIndex(bundle, i));
    if (is_state ? !has_location(type) : !fits_one_register(type))
      return false;
  }
  return true;
}

/* LLVM's code generator makes statepoints of calls with a "deopt" bundle by itself, of leaves and
 * in functions without gc, too. */
static bool is_statepoint(LLVMValueRef call) {
  return !spgc_ir_call_is_leaf(call) || spgc_ir_call_has_bundle(call, "deopt");
}

static const struct objection *values_of_bundles_are_kept(LLVMValueRef call) {
  static const struct objection objection = {
      33, "a statepoint does not keep a value of this type in an operand bundle",
      "give \"deopt\" the parts of a structure or array, and \"gc-transition\" words and numbers"};
  return !is_statepoint(call) || each_bundle(call, values_are_kept) ? NULL : &objection;
}

static bool argument_has(LLVMValueRef call, const char *attribute) {
  for (LLVMAttributeIndex i = 1; i <= LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_call_or_callee_has(call, i, attribute))
      return true;
  return false;
}

/* The register of a swifterror argument comes back with another value, which a statepoint does not
 * give to the program. */
static const struct objection *no_error_register(LLVMValueRef call) {
  static const struct objection objection = {
      33, "a statepoint loses the error that comes back for a swifterror argument",
      "pass the address of the error without swifterror, or mark the call \"gc-leaf-function\" if "
      "it cannot reach a safepoint"};
  return is_statepoint(call) && argument_has(call, "swifterror") ? &objection : NULL;
}

/* LLVM would make a call of it that keeps the frame. */
static const struct objection *tail_calls_have_no_state(LLVMValueRef call) {
  static const struct objection objection = {
      38, "a musttail call leaves no frame that its \"deopt\" bundle could describe",
      "remove the bundle, or call without musttail"};
  return spgc_ir_call_is_musttail(call) ? &objection : NULL;
}

/* RS4GC takes references in a "deopt" bundle for bases. */
static const struct objection *no_interior_state(LLVMValueRef call) {
  static const struct objection objection = {
      1, "an interior pointer is in a \"deopt\" bundle, and counts as the address of an object",
      "put the object and the offset into the bundle"};
  LLVMOperandBundleRef state = spgc_ir_call_bundle(call, "deopt");
  bool interior = false;
  for (unsigned i = 0; i < LLVMGetNumOperandBundleArgs(state) && !interior; i++)
    interior = spgc_ir_is_derived(LLVMGetOperandBundleArgAtIndex(state, i));
  LLVMDisposeOperandBundle(state);
  return interior ? &objection : NULL;
}

const struct objection *spgc_check_deoptimisation(LLVMValueRef call) {
  static check_rule *const rules[] = {values_of_bundles_are_kept, no_interior_state,
                                      no_error_register, tail_calls_have_no_state,
                                      spgc_check_result_if_statepoint};
  return spgc_ir_call_has_bundle(call, "deopt") ? FIRST_OBJECTION(rules, call) : NULL;
}

/* The callee runs while objects move. */
static const struct objection *transitions_pass_no_references(LLVMValueRef call) {
  static const struct objection objection = {31,
                                             "a call with a \"gc-transition\" runs while objects "
                                             "move, and is given a reference or returns one",
                                             "pass numbers, ordinary pointers, or handles"};
  if (!spgc_ir_call_has_bundle(call, "gc-transition"))
    return NULL;
  bool touches = spgc_ir_type_contains_reference(LLVMTypeOf(call));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && !touches; i++)
    touches = passes_references(call, i);
  return touches ? &objection : NULL;
}

/* True for the call in a transition that the lowering expanded; the optimiser may have inlined it
 * into an invoke. */
static bool is_expanded_transition(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && spgc_ir_name_is(callee, "spgc_call_blocking") &&
         spgc_ir_name_starts_with(LLVMGetArgOperand(call, 0), "spgc.transition");
}

static const struct objection *transitions_are_plain_calls(LLVMValueRef call) {
  static const struct objection objection = {
      31,
      "only plain calls of unmanaged functions with fixed parameters can have a \"gc-transition\"",
      "call an unmanaged function that does the rest, without invoke, musttail or variable "
      "arguments"};
  if (!spgc_ir_call_has_bundle(call, "gc-transition") || is_expanded_transition(call))
    return NULL;
  LLVMValueRef callee = spgc_ir_callee(call);
  bool plain = LLVMIsACallInst(call) && !spgc_ir_call_is_musttail(call) &&
               !LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(call)) &&
               !spgc_ir_is_any_intrinsic(call) &&
               LLVMIsAInlineAsm(LLVMGetCalledValue(call)) == NULL && !spgc_ir_call_is_leaf(call);
  return plain && (callee == NULL || !spgc_ir_function_is_managed(callee)) ? NULL : &objection;
}

static const struct objection *patchpoints_are_leaves(LLVMValueRef call) {
  static const struct objection objection = {
      28, "a patchpoint gets no statepoint, so a collection in it would lose references",
      "call the function and give the call \"statepoint-num-patch-bytes\", or mark the patchpoint "
      "\"gc-leaf-function\" if it cannot reach a safepoint"};
  bool used =
      spgc_ir_is_intrinsic(call, "llvm.experimental.patchpoint.") && !spgc_ir_call_is_leaf(call);
  return used ? &objection : NULL;
}

enum { ELEMENT_SIZE_OPERAND = 3, LARGEST_ELEMENT = 8 };

static const struct objection *elements_are_words_at_most(LLVMValueRef call) {
  static const struct objection objection = {
      41, "objects are aligned to 8 bytes, so no element of 16 is",
      "copy elements of at most 8 bytes"};
  bool used = spgc_ir_is_intrinsic(call, "llvm.memcpy.element") ||
              spgc_ir_is_intrinsic(call, "llvm.memmove.element") ||
              spgc_ir_is_intrinsic(call, "llvm.memset.element");
  if (!used || !spgc_ir_is_reference(LLVMGetArgOperand(call, 0)))
    return NULL;
  return LLVMConstIntGetZExtValue(LLVMGetArgOperand(call, ELEMENT_SIZE_OPERAND)) > LARGEST_ELEMENT
             ? &objection
             : NULL;
}

/* RS4GC looks for the bases of both pointers, and crashes where there is none. */
static const struct objection *elements_move_between_objects(LLVMValueRef call) {
  static const struct objection objection = {
      41, "an element-wise atomic copy from or to unmanaged memory cannot be a safepoint",
      "mark the call \"gc-leaf-function\""};
  bool copies = spgc_ir_is_intrinsic(call, "llvm.memcpy.element") ||
                spgc_ir_is_intrinsic(call, "llvm.memmove.element");
  if (!copies || spgc_ir_call_is_leaf(call))
    return NULL;
  bool managed = spgc_ir_is_reference(LLVMGetArgOperand(call, 0)) &&
                 spgc_ir_is_reference(LLVMGetArgOperand(call, 1));
  return managed ? NULL : &objection;
}

static const struct objection *no_inalloca(LLVMValueRef call) {
  static const struct objection objection = {
      15, "an inalloca argument has to be the last, and a statepoint has more arguments",
      "pass the structure with byval, or its address"};
  return !spgc_ir_call_is_leaf(call) && argument_has(call, "inalloca") ? &objection : NULL;
}

static const struct objection *no_second_return(LLVMValueRef call) {
  static const struct objection objection = {
      35, "a call that returns twice comes back with references from before a collection",
      "call a function by spgc_protect, and leave it by spgc_leave (spgc/protect.h)"};
  return spgc_check_call_returns_twice(call) ? &objection : NULL;
}

static const struct objection *no_masked_reference(LLVMValueRef call) {
  static const struct objection objection = {
      4, "masking a reference makes a pointer whose object is not known",
      "mask an integer, and use it only until the next safepoint"};
  bool masks = spgc_ir_is_intrinsic(call, "llvm.ptrmask.") &&
               spgc_ir_type_contains_reference(LLVMTypeOf(call));
  return masks ? &objection : NULL;
}

/* An intrinsic is no safepoint, but its result counts as an object's address. */
static bool arguments_must_be_bases(LLVMValueRef call) {
  if (spgc_ir_is_any_intrinsic(call))
    return spgc_ir_is_any_reference(call) && !spgc_ir_is_annotation(call);
  return !spgc_ir_call_is_leaf(call);
}

static const struct objection *no_interior_argument(LLVMValueRef call) {
  static const struct objection objection = {
      1, "an interior pointer is passed, and the callee takes it for the address of an object",
      "pass the object and the offset (in C, an index, or make the callee static and "
      "always_inline), or mark the call \"gc-leaf-function\" if it cannot reach a safepoint"};
  if (!arguments_must_be_bases(call) ||
      (spgc_ir_callee(call) != NULL && spgc_ir_function_vanishes(spgc_ir_callee(call))))
    return NULL;
  /* Loads from its first argument. */
  unsigned first = spgc_ir_is_intrinsic(call, "llvm.masked.") ? 1 : 0;
  for (unsigned i = first; i < LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_is_derived(LLVMGetArgOperand(call, i)))
      return &objection;
  return NULL;
}

static const struct objection *runtime_uses_c_convention(LLVMValueRef call) {
  static const struct objection objection = {
      37, "the runtime's functions follow the C calling convention",
      "call them without another one"};
  return calls_runtime(call) && LLVMGetInstructionCallConv(call) != LLVMCCallConv ? &objection
                                                                                  : NULL;
}

const struct objection *spgc_check_managed_call(LLVMValueRef call) {
  static check_rule *const rules[] = {
      assembly_is_leaf,
      jumps_give_no_references,
      patchpoints_are_leaves,
      elements_are_words_at_most,
      elements_move_between_objects,
      spgc_check_frame,
      no_inalloca,
      no_masked_reference,
      no_second_return,
      tail_calls_pass_registers,
      tail_calls_are_no_runtime_calls,
      no_value_from_varargs_call,
      no_references_as_varargs,
      no_bundles_of_its_own,
      bundles_are_kept,
      values_of_bundles_are_kept,
      no_error_register,
      transitions_pass_no_references,
      transitions_are_plain_calls,
      no_interior_argument,
      runtime_uses_c_convention,
      spgc_check_result_of_call,
  };
  return FIRST_OBJECTION(rules, call);
}
