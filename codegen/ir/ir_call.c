/* Replaces calls and invokes by ones with other operand bundles, because LLVM's C API cannot change
 * them. */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

void spgc_ir_call_copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex index) {
  unsigned count = LLVMGetCallSiteAttributeCount(from, index);
  LLVMAttributeRef *attributes = spgc_zeroed(count, sizeof(LLVMAttributeRef));
  LLVMGetCallSiteAttributes(from, index, attributes);
  for (unsigned i = 0; i < count; i++)
    LLVMAddCallSiteAttribute(to, index, attributes[i]);
  free((void *)attributes);
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

/* What a call calls, and with what. */
struct parts {
  LLVMTypeRef type;
  LLVMValueRef callee, *arguments;
  LLVMOperandBundleRef *bundles;
  unsigned bundle_count;
};

static LLVMValueRef build(LLVMBuilderRef builder, LLVMValueRef call, const struct parts *parts) {
  unsigned count = LLVMGetNumArgOperands(call);
  if (LLVMIsAInvokeInst(call))
    return LLVMBuildInvokeWithOperandBundles(
        builder, parts->type, parts->callee, parts->arguments, count, LLVMGetNormalDest(call),
        LLVMGetUnwindDest(call), parts->bundles, parts->bundle_count, "");
  return LLVMBuildCallWithOperandBundles(builder, parts->type, parts->callee, parts->arguments,
                                         count, parts->bundles, parts->bundle_count, "");
}

static void replace(LLVMValueRef call, const struct parts *parts) {
  LLVMBuilderRef builder = spgc_ir_builder_before(call);
  LLVMValueRef copy = build(builder, call, parts);
  LLVMSetInstructionCallConv(copy, LLVMGetInstructionCallConv(call));
  if (LLVMIsACallInst(call))
    LLVMSetTailCallKind(copy, LLVMGetTailCallKind(call));
  spgc_ir_call_copy_attributes(call, copy, IR_ON_FUNCTION);
  for (LLVMAttributeIndex index = LLVMAttributeReturnIndex; index <= LLVMGetNumArgOperands(call);
       index++)
    spgc_ir_call_copy_attributes(call, copy, index);
  copy_metadata(call, copy);
  spgc_ir_replace(call, copy);
  LLVMDisposeBuilder(builder);
}

void spgc_ir_call_replace(LLVMValueRef call, LLVMOperandBundleRef *bundles, unsigned count) {
  unsigned argument_count = LLVMGetNumArgOperands(call);
  LLVMValueRef *arguments = spgc_zeroed(argument_count, sizeof(LLVMValueRef));
  for (unsigned i = 0; i < argument_count; i++)
    arguments[i] = LLVMGetArgOperand(call, i);
  replace(call, &(const struct parts){LLVMGetCalledFunctionType(call), LLVMGetCalledValue(call),
                                      arguments, bundles, count});
  free((void *)arguments);
}

LLVMValueRef spgc_ir_lifetime_pointer(LLVMValueRef marker) {
  return LLVMGetArgOperand(marker, LLVMGetNumArgOperands(marker) - 1);
}
