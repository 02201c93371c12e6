#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/parts.h"

static bool assembly_is_leaf(LLVMValueRef call) {
  return !LLVMIsAInlineAsm(LLVMGetCalledValue(call)) || spgc_ir_call_is_leaf(call);
}

/* RS4GC relocates the result of an invoke only, which has one normal destination. */
static bool jumps_give_no_references(LLVMValueRef call) {
  return !LLVMIsACallBrInst(call) || !spgc_ir_type_contains_reference(LLVMTypeOf(call));
}

static bool tail_calls_pass_registers(LLVMValueRef call) {
  if (!spgc_ir_call_is_musttail(call))
    return true;
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  LLVMModuleRef module = spgc_ir_module_of(call);
  return spgc_parts_fit_parameters(type, spgc_processor_of_module(module));
}

/* A definition is an inline function of the headers. */
static bool calls_runtime(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && LLVMIsDeclaration(callee) && spgc_ir_name_starts_with(callee, "spgc_");
}

static bool tail_calls_are_no_runtime_calls(LLVMValueRef call) {
  return !spgc_ir_call_is_musttail(call) || !calls_runtime(call);
}

static bool no_value_from_varargs_call(LLVMValueRef call) {
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  return !LLVMIsFunctionVarArg(type) || spgc_ir_call_is_leaf(call) ||
         LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind;
}

/* Before C23, () declares no prototype. */
static bool has_prototype(LLVMValueRef call) {
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  return no_value_from_varargs_call(call) || LLVMCountParamTypes(type) != 0;
}

/* Also in memory that is passed by value or receives the result; and as a number: so clang passes a
 * structure of one reference if no register is free. */
static bool passes_references(LLVMValueRef call, unsigned argument) {
  LLVMValueRef value = LLVMGetArgOperand(call, argument);
  return spgc_ir_type_contains_reference(LLVMTypeOf(value)) ||
         spgc_ir_is_cast_of_reference(value) || spgc_ir_memory_of_argument(call, argument) != NULL;
}

static bool no_references_as_varargs(LLVMValueRef call) {
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  if (!LLVMIsFunctionVarArg(type) || spgc_ir_call_is_leaf(call))
    return true;
  for (unsigned i = LLVMCountParamTypes(type); i < LLVMGetNumArgOperands(call); i++)
    if (passes_references(call, i))
      return false;
  return true;
}

static bool no_bundles_of_its_own(LLVMValueRef call) {
  return !spgc_ir_call_has_bundle(call, "gc-live");
}

/* LLVM's verifier permits one bundle of each kind. */
static bool bundles_are_kept(LLVMValueRef call) {
  int kept = spgc_ir_call_has_bundle(call, "deopt") + spgc_ir_call_has_bundle(call, "gc-live") +
             spgc_ir_call_has_bundle(call, "gc-transition");
  return (int)LLVMGetNumOperandBundles(call) == kept || spgc_ir_call_is_leaf(call);
}

/* LLVM writes the location of an aggregate's first part only, and crashes without a location. */
static bool has_location(LLVMValueRef value) {
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
  return kind != LLVMTokenTypeKind && kind != LLVMMetadataTypeKind && kind != LLVMLabelTypeKind &&
         kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind;
}

static bool each_value_of_state(LLVMValueRef call, bool (*holds)(LLVMValueRef value)) {
  LLVMOperandBundleRef state = spgc_ir_call_bundle(call, "deopt");
  bool all = true;
  if (state == NULL)
    return true;
  for (unsigned i = 0; i < LLVMGetNumOperandBundleArgs(state) && all; i++)
    all = holds(LLVMGetOperandBundleArgAtIndex(state, i));
  LLVMDisposeOperandBundle(state);
  return all;
}

/* The code generator makes statepoints of all calls with a "deopt" bundle, even of leaf calls and
 * without gc. */
static bool is_statepoint(LLVMValueRef call) {
  LLVMValueRef function = spgc_ir_function_of(call);
  return (spgc_ir_function_is_managed(function) && !spgc_ir_call_is_leaf(call)) ||
         spgc_ir_call_has_bundle(call, "deopt");
}

static bool state_is_kept(LLVMValueRef call) {
  return each_value_of_state(call, has_location);
}

static bool argument_has(LLVMValueRef call, const char *attribute) {
  for (LLVMAttributeIndex i = 1; i <= LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_call_or_callee_has(call, i, attribute))
      return true;
  return false;
}

/* swifterror returns a second value in a register, which statepoints do not pass on. */
static bool no_error_register(LLVMValueRef call) {
  return !argument_has(call, "swifterror");
}

/* LLVM would emit an ordinary call. */
static bool tail_calls_have_no_state(LLVMValueRef call) {
  return !spgc_ir_call_is_musttail(call) || !spgc_ir_call_has_bundle(call, "deopt");
}

/* RS4GC assumes that references in a "deopt" bundle are bases. */
static bool is_base(LLVMValueRef value) {
  return !spgc_ir_is_derived(value);
}

static bool no_interior_state(LLVMValueRef call) {
  return each_value_of_state(call, is_base);
}

static const struct rule statepoint_rules[] = {
    RULE(state_is_kept, 33, "a statepoint does not keep a value of this type in an operand bundle",
         "give \"deopt\" the parts of a structure or array"),
    RULE(no_interior_state, 1,
         "an interior pointer is in a \"deopt\" bundle, and counts as the address of an object",
         "put the object and the offset into the bundle"),
    RULE(no_error_register, 33, "a statepoint loses the error that a swifterror argument returns",
         "pass the address of the error without swifterror, or mark the call \"gc-leaf-function\" "
         "if it cannot reach a safepoint"),
    RULE(tail_calls_have_no_state, 38,
         "a musttail call leaves no frame that its \"deopt\" bundle could describe",
         "remove the bundle, or call without musttail"),
};

const struct objection *spgc_check_statepoint(LLVMValueRef call) {
  const struct objection *objection =
      is_statepoint(call) ? FIRST_OBJECTION(statepoint_rules, call) : NULL;
  return objection == NULL && spgc_ir_call_has_bundle(call, "deopt")
             ? spgc_check_result_of_call(call)
             : objection;
}

/* For other collectors LLVM's meaning holds. */
const struct objection *spgc_check_transition(LLVMValueRef call) {
  static const struct objection objection = {
      31,
      "a \"gc-transition\" bundle sets a flag of the statepoint, which this runtime does not use",
      "call ptr @spgc_call_blocking(ptr %function, ptr %argument) (spgc/thread.h)"};
  return spgc_ir_is_call(call) && spgc_ir_call_has_bundle(call, "gc-transition") ? &objection
                                                                                 : NULL;
}

static bool patchpoints_are_leaves(LLVMValueRef call) {
  return !spgc_ir_is_intrinsic(call, "llvm.experimental.patchpoint.") || spgc_ir_call_is_leaf(call);
}

enum { ELEMENT_SIZE_OPERAND = 3, LARGEST_ELEMENT = 8 };

static bool elements_are_words_at_most(LLVMValueRef call) {
  bool used = spgc_ir_is_element_copy(call) || spgc_ir_is_intrinsic(call, "llvm.memset.element.");
  return !used || !spgc_ir_is_reference(LLVMGetArgOperand(call, 0)) ||
         LLVMConstIntGetZExtValue(LLVMGetArgOperand(call, ELEMENT_SIZE_OPERAND)) <= LARGEST_ELEMENT;
}

/* RS4GC looks for the bases of both pointers, and crashes without one. */
static bool elements_move_between_objects(LLVMValueRef call) {
  return !spgc_ir_is_element_copy(call) || spgc_ir_call_is_leaf(call) ||
         (spgc_ir_is_reference(LLVMGetArgOperand(call, 0)) &&
          spgc_ir_is_reference(LLVMGetArgOperand(call, 1)));
}

static bool no_inalloca(LLVMValueRef call) {
  return spgc_ir_call_is_leaf(call) || !argument_has(call, "inalloca");
}

static bool no_second_return(LLVMValueRef call) {
  return !spgc_check_call_returns_twice(call);
}

static bool no_masked_reference(LLVMValueRef call) {
  return !spgc_ir_is_intrinsic(call, "llvm.ptrmask.") ||
         !spgc_ir_type_contains_reference(LLVMTypeOf(call));
}

/* An intrinsic is not a safepoint, but its result counts as an object's address. */
static bool arguments_must_be_bases(LLVMValueRef call) {
  if (spgc_ir_is_any_intrinsic(call))
    return spgc_ir_is_any_reference(call) && !spgc_ir_is_annotation(call);
  return !spgc_ir_call_is_leaf(call);
}

static bool no_interior_argument(LLVMValueRef call) {
  if (!arguments_must_be_bases(call) ||
      (spgc_ir_callee(call) != NULL && spgc_ir_function_vanishes(spgc_ir_callee(call))))
    return true;
  /* these load from their first argument */
  unsigned first = spgc_ir_is_intrinsic(call, "llvm.masked.") ? 1 : 0;
  for (unsigned i = first; i < LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_is_derived(LLVMGetArgOperand(call, i)))
      return false;
  return true;
}

static bool runtime_uses_c_convention(LLVMValueRef call) {
  return !calls_runtime(call) || LLVMGetInstructionCallConv(call) == LLVMCCallConv;
}

static const struct rule managed_call_rules[] = {
    RULE(assembly_is_leaf, 34, "inline assembly cannot be a statepoint",
         "mark it \"gc-leaf-function\", or move it into a function without gc (in C, one without "
         "references)"),
    RULE(jumps_give_no_references, 34,
         "LLVM cannot relocate a reference that is the result of inline assembly with labels",
         "return a number from the assembly and load the reference after it, or use assembly "
         "without "
         "labels"),
    RULE(patchpoints_are_leaves, 28,
         "a patchpoint gets no statepoint, so a collection during it would lose references",
         "call the function and give the call \"statepoint-num-patch-bytes\", or mark the "
         "patchpoint \"gc-leaf-function\" if it cannot reach a safepoint"),
    RULE(elements_are_words_at_most, 41,
         "objects are aligned to 8 bytes, so elements of 16 bytes are not aligned",
         "copy elements of at most 8 bytes"),
    RULE(elements_move_between_objects, 41,
         "an element-wise atomic copy from or to unmanaged memory cannot be a safepoint",
         "mark the call \"gc-leaf-function\""),
    RULE(no_inalloca, 15,
         "an inalloca argument has to be the last, and a statepoint has more arguments",
         "pass the structure with byval, or its address"),
    RULE(no_masked_reference, 4, "masking a reference makes a pointer whose object is not known",
         "mask an integer, and use it only until the next safepoint"),
    RULE(no_second_return, 35,
         "a call that returns twice may return with references from before a collection",
         "call a function by spgc_protect, and leave it by spgc_leave (spgc/protect.h)"),
    RULE(tail_calls_pass_registers, 38, "a musttail call with arguments on the stack loses them",
         "pass at most six words (eight on AArch64) and eight numbers or vectors of 16 bytes, and "
         "the rest in an object, or call without musttail"),
    RULE(tail_calls_are_no_runtime_calls, 38,
         "a musttail call of the runtime cannot be expanded inline", "call it without musttail"),
    RULE(has_prototype, 30,
         "a function that is declared without its parameters is called with variable ones, and "
         "LLVM cannot make a statepoint of such a call that returns a value",
         "declare the function with its parameters (in C, write (void) for none)"),
    RULE(no_value_from_varargs_call, 30,
         "LLVM cannot make a statepoint of a call with variable arguments that returns a value",
         "mark it \"gc-leaf-function\" if it cannot reach a safepoint, or call a function with "
         "fixed parameters"),
    RULE(no_references_as_varargs, 29,
         "variable arguments are in memory that the collector does not see",
         "pass references as declared parameters (in C, declare the function with a prototype)"),
    RULE(no_bundles_of_its_own, 28,
         "the lowering finds live references itself and would overwrite \"gc-live\"",
         "remove the operand bundle"),
    RULE(bundles_are_kept, 33, "a statepoint does not keep an operand bundle of this kind",
         "remove the operand bundle, or mark the call \"gc-leaf-function\""),
    RULE(no_interior_argument, 1,
         "an interior pointer is passed, and the callee takes it for the address of an object",
         "pass the object and the offset (in C, an index, or make the callee static and "
         "always_inline), or mark the call \"gc-leaf-function\" if it cannot reach a safepoint"),
    RULE(runtime_uses_c_convention, 37, "the runtime's functions follow the C calling convention",
         "call them with that convention"),
};

const struct objection *spgc_check_managed_call(LLVMValueRef call) {
  return FIRST_OBJECTION(managed_call_rules, call);
}
