#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/storage.h"

/* glibc sorts by merging: while it compares, elements are in its memory. */
static const struct objection lost_elements = {
    53,
    "the C library keeps elements in memory of its own while it compares, and the collector does "
    "not look there",
    "sort indices, or write the sort; or make the comparison a leaf (in C, SPGC_LEAF) if it cannot "
    "reach a safepoint"};

enum { ARRAY, COMPARISON = 3 };

static bool sorts(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && LLVMIsDeclaration(callee) &&
         (spgc_ir_name_is(callee, "qsort") || spgc_ir_name_is(callee, "qsort_r")) &&
         LLVMGetNumArgOperands(call) > COMPARISON;
}

static bool leads_to_references(const struct places *places) {
  for (unsigned i = 0; i < places->count; i++)
    if (spgc_ir_type_contains_reference(spgc_type_of_variable(places->at[i].variable)))
      return true;
  return !places->are_all;
}

static bool reads_references(LLVMValueRef comparison) {
  IR_EACH_INSTRUCTION_OF (instruction, comparison)
    if (LLVMIsALoadInst(instruction) != NULL &&
        spgc_ir_type_contains_reference(LLVMTypeOf(instruction)) &&
        LLVMIsAArgument(spgc_ir_underlying_object(LLVMGetOperand(instruction, 0))) != NULL &&
        !spgc_ir_is_reference(LLVMGetOperand(instruction, 0)))
      return true;
  return false;
}

static bool reaches_no_safepoint(LLVMValueRef comparison) {
  return spgc_ir_is_marked_leaf(comparison) ||
         (!LLVMIsDeclaration(comparison) && !spgc_ir_function_is_managed(comparison) &&
          spgc_ir_function_calls_only_leaves(comparison));
}

/* The elements' type comes from the array's variables, or else from the comparison. */
const struct objection *spgc_check_sort(LLVMValueRef call) {
  if (!sorts(call))
    return NULL;
  LLVMValueRef given = LLVMGetArgOperand(call, COMPARISON), comparison = LLVMIsAFunction(given);
  if (comparison != NULL && reaches_no_safepoint(comparison))
    return NULL;
  struct places places;
  spgc_places_of(LLVMGetModuleDataLayout(spgc_ir_module_of(call)), LLVMGetArgOperand(call, ARRAY),
                 &places);
  bool has_references = leads_to_references(&places);
  if (places.are_elsewhere || places.count == 0)
    has_references |=
        comparison != NULL ? reads_references(comparison) : LLVMIsAGlobalAlias(given) != NULL;
  return has_references ? &lost_elements : NULL;
}
