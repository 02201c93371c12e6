/* The optimiser assumes that a ptrtoint of a reference always gives the same number, and merges or
 * hoists it across safepoints. So casts, and ordered comparisons of references, read the address
 * through a call of an unknown function. After statepoints are inserted, the calls become casts of
 * the relocated references.
 *
 * A call stays in its place because it claims to write the memory that a safepoint writes. Every
 * call that may be a safepoint must claim this too, even if its function's polls are not inserted
 * yet. So each managed function contains an llvm.sideeffect, which optimisations in the function
 * itself ignore. */
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"

#include <string.h>

#include "codegen/ir/address_use.h"
#include "codegen/lower/phases.h"

static const char address_of[] = PRELUDE_PREFIX "address_of";

static LLVMValueRef read_address(struct lowering *lowering, LLVMValueRef reference) {
  LLVMContextRef context = LLVMGetModuleContext(lowering->module);
  LLVMTypeRef parameter = LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE);
  LLVMTypeRef type = LLVMFunctionType(LLVMInt64TypeInContext(context), &parameter, 1, false);
  LLVMValueRef function = spgc_note_function(lowering->module, address_of, type);
  return LLVMBuildCall2(lowering->builder, type, function, &reference, 1, "");
}

/* `(T *)(long)p` means p, wherever its object is by then. */
static void simplify(LLVMValueRef instruction) {
  bool is_back = LLVMIsAIntToPtrInst(instruction) != NULL && spgc_ir_is_reference(instruction) &&
                 spgc_ir_is_cast_of_reference(LLVMGetOperand(instruction, 0));
  if (is_back)
    spgc_ir_replace(instruction, LLVMGetOperand(LLVMGetOperand(instruction, 0), 0));
}

static void hide_cast(struct lowering *lowering, LLVMValueRef cast) {
  if (spgc_address_uses_survive_moving(cast))
    return;
  LLVMPositionBuilderBefore(lowering->builder, cast);
  LLVMValueRef address = read_address(lowering, LLVMGetOperand(cast, 0));
  spgc_ir_replace(cast, LLVMBuildIntCast2(lowering->builder, address, LLVMTypeOf(cast), false, ""));
}

/* Pointers into one object move together, so comparing them needs no addresses. */
static void hide_compare(struct lowering *lowering, LLVMValueRef compare) {
  LLVMValueRef left = LLVMGetOperand(compare, 0), right = LLVMGetOperand(compare, 1);
  LLVMValueRef base = spgc_ir_only_base(left);
  if (base != NULL && base == spgc_ir_only_base(right))
    return;
  LLVMPositionBuilderBefore(lowering->builder, compare);
  LLVMValueRef left_address = read_address(lowering, left),
               right_address = read_address(lowering, right);
  spgc_ir_replace(compare, LLVMBuildICmp(lowering->builder, LLVMGetICmpPredicate(compare),
                                         left_address, right_address, ""));
}

/* Collected first, because hiding changes the function. */
static void find_addresses(LLVMValueRef function, struct values *found) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    simplify(instruction);
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_cast_of_reference(instruction) ||
        (spgc_ir_is_ordered_compare(instruction) &&
         spgc_ir_is_reference(LLVMGetOperand(instruction, 0))))
      spgc_values_add(found, instruction);
}

static void claim_effects(struct lowering *lowering, LLVMValueRef function) {
  LLVMPositionBuilderBefore(lowering->builder, spgc_ir_first_after_allocas(function));
  unsigned id = LLVMLookupIntrinsicID("llvm.sideeffect", strlen("llvm.sideeffect"));
  LLVMValueRef sideeffect = LLVMGetIntrinsicDeclaration(lowering->module, id, NULL, 0);
  LLVMBuildCall2(lowering->builder, LLVMGlobalGetValueType(sideeffect), sideeffect, NULL, 0, "");
}

enum spgc_result spgc_hide_addresses(struct lowering *lowering, struct spgc_error *error) {
  struct values found = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    find_addresses(function, &found);
  for (unsigned i = 0; i < found.count; i++)
    if (LLVMIsAICmpInst(found.at[i]))
      hide_compare(lowering, found.at[i]);
    else
      hide_cast(lowering, found.at[i]);
  spgc_values_free(&found);
  return SPGC_OK;
}

enum spgc_result spgc_claim_safepoints(struct lowering *lowering, struct spgc_error *error) {
  if (LLVMGetNamedFunction(lowering->module, address_of) != NULL)
    IR_EACH_FUNCTION (function, lowering->module) {
      if (LLVMGetIntrinsicID(function) != 0)
        continue;
      spgc_declare_safepoint(function);
      if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
        claim_effects(lowering, function);
    }
  return SPGC_OK;
}

enum spgc_result spgc_show_addresses(struct lowering *lowering, struct spgc_error *error) {
  LLVMValueRef function = LLVMGetNamedFunction(lowering->module, address_of);
  if (function == NULL)
    return SPGC_OK;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;) {
    LLVMValueRef call = LLVMGetUser(use);
    LLVMPositionBuilderBefore(lowering->builder, call);
    spgc_ir_replace(
        call, LLVMBuildPtrToInt(lowering->builder, LLVMGetOperand(call, 0), LLVMTypeOf(call), ""));
  }
  LLVMDeleteFunction(function);
  return SPGC_OK;
}
