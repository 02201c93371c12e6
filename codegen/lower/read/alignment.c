/* Objects are aligned to words. A type may ask for more: vectors of references, long double,
 * __int128, and structures that the program aligns. The processor faults if an access claims an
 * alignment that its address lacks. So every access to an object, and every promise about a
 * reference, is limited to a word. */
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

#include <string.h>

enum { WORD = 8 };

static LLVMAttributeRef alignment_attribute(LLVMContextRef context, uint64_t bytes) {
  return LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("align", strlen("align")),
                                 bytes);
}

static bool promises_more(LLVMAttributeRef attribute) {
  return attribute != NULL && LLVMGetEnumAttributeValue(attribute) > WORD;
}

static void clamp_parameters(LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMAttributeRef word = alignment_attribute(context, WORD);
  unsigned kind = LLVMGetEnumAttributeKind(word);
  for (LLVMAttributeIndex i = LLVMAttributeReturnIndex; i <= LLVMCountParams(function); i++) {
    LLVMTypeRef type = i == LLVMAttributeReturnIndex
                           ? LLVMGetReturnType(LLVMGlobalGetValueType(function))
                           : LLVMTypeOf(LLVMGetParam(function, i - 1));
    if (spgc_ir_type_contains_reference(type) &&
        promises_more(LLVMGetEnumAttributeAtIndex(function, i, kind)))
      LLVMAddAttributeAtIndex(function, i, word);
  }
}

static void clamp_arguments(LLVMValueRef call) {
  LLVMAttributeRef word = alignment_attribute(LLVMGetTypeContext(LLVMTypeOf(call)), WORD);
  unsigned kind = LLVMGetEnumAttributeKind(word);
  for (LLVMAttributeIndex i = LLVMAttributeReturnIndex; i <= LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef type =
        LLVMTypeOf(i == LLVMAttributeReturnIndex ? call : LLVMGetArgOperand(call, i - 1));
    if (spgc_ir_type_contains_reference(type) &&
        promises_more(LLVMGetCallSiteEnumAttribute(call, i, kind)))
      LLVMAddCallSiteAttribute(call, i, word);
  }
}

/* Limits the operand that holds the alignment of a masked access. From LLVM 22 on there is none:
 * the alignment is an attribute of the pointer, as in other calls. */
static void clamp_masked(LLVMValueRef call) {
  bool loads = spgc_ir_is_intrinsic(call, "llvm.masked.load.") ||
               spgc_ir_is_intrinsic(call, "llvm.masked.gather.");
  bool stores = spgc_ir_is_intrinsic(call, "llvm.masked.store.") ||
                spgc_ir_is_intrinsic(call, "llvm.masked.scatter.");
  if (!loads && !stores)
    return;
  unsigned pointer = loads ? 0 : 1;
  LLVMValueRef alignment = LLVMGetOperand(call, pointer + 1);
  if (LLVMGetTypeKind(LLVMTypeOf(alignment)) == LLVMIntegerTypeKind &&
      spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetOperand(call, pointer))) &&
      LLVMConstIntGetZExtValue(alignment) > WORD)
    LLVMSetOperand(call, pointer + 1, LLVMConstInt(LLVMTypeOf(alignment), WORD, false));
}

static bool assumes_of_reference(LLVMValueRef call) {
  bool found = false;
  for (unsigned i = 0; i < LLVMGetNumOperandBundles(call) && !found; i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(call, i);
    found = spgc_ir_bundle_is(bundle, "align") &&
            spgc_ir_is_any_reference(LLVMGetOperandBundleArgAtIndex(bundle, 0));
    LLVMDisposeOperandBundle(bundle);
  }
  return found;
}

static LLVMValueRef accessed(LLVMValueRef instruction) {
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg: return LLVMGetOperand(instruction, 0);
  case LLVMStore: return LLVMGetOperand(instruction, 1);
  default: return NULL;
  }
}

static void forget_loaded_alignment(LLVMValueRef load) {
  unsigned kind =
      LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(load)), "align", strlen("align"));
  if (LLVMGetMetadata(load, kind) != NULL)
    LLVMSetMetadata(load, kind, NULL);
}

static void clamp(LLVMValueRef instruction) {
  LLVMValueRef address = accessed(instruction);
  if (address != NULL && spgc_ir_is_reference(address) && LLVMGetAlignment(instruction) > WORD)
    LLVMSetAlignment(instruction, WORD);
  if (LLVMIsALoadInst(instruction) && spgc_ir_is_reference(instruction))
    forget_loaded_alignment(instruction);
  if (!spgc_ir_is_call(instruction))
    return;
  clamp_arguments(instruction);
  clamp_masked(instruction);
  if (spgc_ir_is_intrinsic(instruction, "llvm.assume") && assumes_of_reference(instruction))
    LLVMInstructionEraseFromParent(instruction);
}

enum spgc_result spgc_clamp_alignments(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module) {
    clamp_parameters(function);
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        clamp(instruction);
      }
  }
  return SPGC_OK;
}
