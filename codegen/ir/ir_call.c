/* LLVM's C API cannot change the operand bundles of a call, so the call is replaced. */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

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
