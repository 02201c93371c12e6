#include "codegen/ir/ir.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/values.h"

bool spgc_ir_is_never_an_object(LLVMValueRef reference) {
  LLVMValueRef object = spgc_ir_underlying_object(reference);
  return LLVMIsAIntToPtrInst(object) != NULL || LLVMIsAConstant(object) != NULL;
}

bool spgc_ir_arithmetic_keeps_base(LLVMValueRef arithmetic) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(spgc_ir_module_of(arithmetic));
  int64_t distance;
  return spgc_ir_is_never_an_object(arithmetic) ||
         (spgc_constant_distance(data, arithmetic, &distance) && distance == 0);
}

bool spgc_ir_gives_object(LLVMValueRef value) {
  return LLVMIsALoadInst(value) != NULL || LLVMIsAIntToPtrInst(value) != NULL ||
         LLVMIsAAtomicRMWInst(value) != NULL || LLVMIsAExtractValueInst(value) != NULL ||
         (spgc_ir_is_call(value) && !spgc_ir_is_any_intrinsic(value));
}

static bool passes_meaning(LLVMValueRef value) {
  return LLVMIsAPHINode(value) != NULL || LLVMIsASelectInst(value) != NULL ||
         LLVMIsAFreezeInst(value) != NULL || LLVMIsABitCastInst(value) != NULL ||
         LLVMIsAGetElementPtrInst(value) != NULL;
}

/* The result may be one of these, or their elements. A masked load's first argument is the
 * address. */
static void add_arguments(struct values *meanings, LLVMValueRef intrinsic) {
  if (spgc_ir_is_intrinsic(intrinsic, "llvm.experimental.gc."))
    return;
  unsigned first = spgc_ir_is_intrinsic(intrinsic, "llvm.masked.") ? 1 : 0;
  for (unsigned i = first; i < LLVMGetNumArgOperands(intrinsic); i++)
    if (spgc_ir_is_any_reference(LLVMGetArgOperand(intrinsic, i)))
      spgc_values_add_new(meanings, LLVMGetArgOperand(intrinsic, i));
}

static void add_operands(struct values *meanings, LLVMValueRef value) {
  if (spgc_values_add_choices(meanings, value))
    return;
  if (LLVMIsAInsertElementInst(value) || LLVMIsAShuffleVectorInst(value)) {
    spgc_values_add_new(meanings, LLVMGetOperand(value, 0));
    spgc_values_add_new(meanings, LLVMGetOperand(value, 1));
  } else if (LLVMIsAFreezeInst(value) || LLVMIsABitCastInst(value) ||
             LLVMIsAGetElementPtrInst(value) || LLVMIsAExtractElementInst(value)) {
    spgc_values_add_new(meanings, LLVMGetOperand(value, 0));
  } else if (spgc_ir_is_any_intrinsic(value)) {
    add_arguments(meanings, value);
  }
}

LLVMValueRef spgc_ir_only_base(LLVMValueRef reference) {
  struct values meanings = {0};
  spgc_values_add_new(&meanings, reference);
  LLVMValueRef base = NULL;
  unsigned bases = 0;
  for (unsigned i = 0; i < meanings.count; i++) {
    LLVMValueRef value = meanings.at[i];
    add_operands(&meanings, value);
    if (!passes_meaning(value)) {
      base = value;
      bases++;
    }
  }
  spgc_values_free(&meanings);
  return bases == 1 && LLVMIsAConstant(base) == NULL ? base : NULL;
}

static bool moves_from_base(struct values *meanings, LLVMValueRef value) {
  if (LLVMIsAGetElementPtrInst(value) && !spgc_ir_arithmetic_keeps_base(value))
    return true;
  add_operands(meanings, value);
  return false;
}

bool spgc_ir_is_derived(LLVMValueRef reference) {
  return spgc_ir_is_any_reference(reference) &&
         spgc_values_search(reference, moves_from_base) != NULL;
}

static bool points_to_alloca(struct values *pointers, LLVMValueRef pointer) {
  LLVMValueRef object = spgc_ir_underlying_object(pointer);
  spgc_values_add_choices(pointers, object);
  return LLVMIsAAllocaInst(object) != NULL;
}

LLVMValueRef spgc_ir_underlying_alloca(LLVMValueRef pointer) {
  LLVMValueRef found = spgc_values_search(pointer, points_to_alloca);
  return found != NULL ? spgc_ir_underlying_object(found) : NULL;
}
