#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/library.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"

bool spgc_ir_is_call(LLVMValueRef instruction) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  return opcode == LLVMCall || opcode == LLVMInvoke || opcode == LLVMCallBr;
}

LLVMValueRef spgc_ir_callee(LLVMValueRef call) {
  return LLVMIsAFunction(LLVMGetCalledValue(call));
}

void spgc_ir_call_set_callee(LLVMValueRef call, LLVMValueRef callee) {
  LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, callee);
}

bool spgc_ir_is_intrinsic(LLVMValueRef instruction, const char *prefix) {
  return spgc_ir_is_any_intrinsic(instruction) &&
         spgc_ir_name_starts_with(spgc_ir_callee(instruction), prefix);
}

bool spgc_ir_is_any_intrinsic(LLVMValueRef instruction) {
  LLVMValueRef callee = spgc_ir_is_call(instruction) ? spgc_ir_callee(instruction) : NULL;
  return callee != NULL && LLVMGetIntrinsicID(callee) != 0;
}

bool spgc_ir_is_annotation(LLVMValueRef instruction) {
  return spgc_ir_is_intrinsic(instruction, "llvm.ptr.annotation.");
}

bool spgc_ir_is_memory_transfer(LLVMValueRef instruction) {
  return spgc_ir_is_intrinsic(instruction, "llvm.memcpy.") ||
         spgc_ir_is_intrinsic(instruction, "llvm.memmove.");
}

bool spgc_ir_is_transfer(LLVMValueRef instruction) {
  return spgc_ir_is_memory_transfer(instruction) ||
         (spgc_ir_is_call(instruction) && spgc_ir_callee(instruction) != NULL &&
          spgc_ir_name_starts_with(spgc_ir_callee(instruction), PRELUDE_PREFIX "llvm.mem"));
}

bool spgc_ir_is_element_copy(LLVMValueRef instruction) {
  return spgc_ir_is_intrinsic(instruction, "llvm.memcpy.element.") ||
         spgc_ir_is_intrinsic(instruction, "llvm.memmove.element.");
}

bool spgc_ir_call_or_callee_has(LLVMValueRef call, LLVMAttributeIndex index, const char *name) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return spgc_ir_attribute_at(call, index, name) != NULL ||
         (callee != NULL && spgc_ir_attribute_at(callee, index, name) != NULL);
}

bool spgc_ir_bundle_is(LLVMOperandBundleRef bundle, const char *tag) {
  size_t length;
  const char *own = LLVMGetOperandBundleTag(bundle, &length);
  return spgc_ir_text_is(own, length, tag);
}

LLVMOperandBundleRef spgc_ir_call_bundle(LLVMValueRef call, const char *tag) {
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call); i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    if (spgc_ir_bundle_is(bundle, tag))
      return bundle;
    LLVMDisposeOperandBundle(bundle);
  }
  return NULL;
}

bool spgc_ir_call_has_bundle(LLVMValueRef call, const char *tag) {
  LLVMOperandBundleRef bundle = spgc_ir_call_bundle(call, tag);
  if (bundle != NULL)
    LLVMDisposeOperandBundle(bundle);
  return bundle != NULL;
}

/* RS4GC turns these into statepoints, or they become calls of unknown functions. */
static const char *const safepoint_intrinsics[] = {
    "llvm.experimental.gc.statepoint",      "llvm.experimental.deoptimize",
    "llvm.memcpy.element.unordered.atomic", "llvm.memmove.element.unordered.atomic",
    "llvm.experimental.patchpoint",         "llvm.experimental.guard",
};

bool spgc_ir_is_marked_leaf(LLVMValueRef value) {
  return spgc_ir_string(value, "gc-leaf-function") != NULL;
}

bool spgc_ir_call_is_musttail(LLVMValueRef call) {
  return LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail;
}

bool spgc_ir_call_is_leaf(LLVMValueRef call) {
  if (spgc_ir_is_marked_leaf(call))
    return true;
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee == NULL)
    return false;
  if (spgc_ir_is_marked_leaf(callee) || spgc_library_call_of(call) == LIBRARY_LEAF)
    return true;
  return LLVMGetIntrinsicID(callee) != 0 && !IR_NAME_STARTS_WITH_ANY(callee, safepoint_intrinsics);
}

bool spgc_ir_is_safepoint(LLVMValueRef instruction) {
  return spgc_ir_is_call(instruction) && !spgc_ir_call_is_leaf(instruction);
}

bool spgc_ir_is_statepoint(LLVMValueRef instruction) {
  return spgc_ir_is_intrinsic(instruction, "llvm.experimental.gc.statepoint");
}

bool spgc_ir_call_passes_reference(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_is_reference(LLVMGetArgOperand(call, i)))
      return true;
  return false;
}

bool spgc_ir_function_calls_only_leaves(LLVMValueRef function) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_safepoint(instruction))
      return false;
  return true;
}

void spgc_ir_copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex index) {
  bool is_function = LLVMIsAFunction(from) != NULL;
  unsigned count = is_function ? LLVMGetAttributeCountAtIndex(from, index)
                               : LLVMGetCallSiteAttributeCount(from, index);
  LLVMAttributeRef *attributes = spgc_zeroed(count, sizeof(LLVMAttributeRef));
  if (is_function)
    LLVMGetAttributesAtIndex(from, index, attributes);
  else
    LLVMGetCallSiteAttributes(from, index, attributes);
  for (unsigned i = 0; i < count; i++)
    if (LLVMIsAFunction(to))
      LLVMAddAttributeAtIndex(to, index, attributes[i]);
    else
      LLVMAddCallSiteAttribute(to, index, attributes[i]);
  free((void *)attributes);
}

void spgc_ir_copy_attributes_of_types(LLVMValueRef from, LLVMValueRef to) {
  unsigned count = spgc_ir_parameter_count(from);
  for (LLVMAttributeIndex index = LLVMAttributeReturnIndex; index <= count; index++)
    spgc_ir_copy_attributes(from, to, index);
}

static void copy_metadata(LLVMValueRef from, LLVMValueRef to) {
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(from));
  for (unsigned i = 0; i < count; i++)
    LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
                    LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i)));
  LLVMDisposeValueMetadataEntries(entries);
}

/* LLVM's C API cannot change the operand bundles of a call. */
void spgc_ir_call_replace(LLVMValueRef call, LLVMOperandBundleRef *bundles, unsigned count) {
  unsigned argument_count = LLVMGetNumArgOperands(call);
  LLVMValueRef *arguments = spgc_zeroed(argument_count, sizeof(LLVMValueRef));
  for (unsigned i = 0; i < argument_count; i++)
    arguments[i] = LLVMGetArgOperand(call, i);
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  LLVMValueRef callee = LLVMGetCalledValue(call);
  LLVMBuilderRef builder = spgc_ir_builder_before(call);
  LLVMValueRef copy =
      LLVMIsAInvokeInst(call)
          ? LLVMBuildInvokeWithOperandBundles(builder, type, callee, arguments, argument_count,
                                              LLVMGetNormalDest(call), LLVMGetUnwindDest(call),
                                              bundles, count, "")
          : LLVMBuildCallWithOperandBundles(builder, type, callee, arguments, argument_count,
                                            bundles, count, "");
  LLVMSetInstructionCallConv(copy, LLVMGetInstructionCallConv(call));
  if (LLVMIsACallInst(call))
    LLVMSetTailCallKind(copy, LLVMGetTailCallKind(call));
  spgc_ir_copy_attributes(call, copy, IR_ON_FUNCTION);
  spgc_ir_copy_attributes_of_types(call, copy);
  copy_metadata(call, copy);
  spgc_ir_replace(call, copy);
  LLVMDisposeBuilder(builder);
  free((void *)arguments);
}

LLVMValueRef spgc_ir_lifetime_pointer(LLVMValueRef marker) {
  return LLVMGetArgOperand(marker, LLVMGetNumArgOperands(marker) - 1);
}
