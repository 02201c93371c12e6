/* Addresses of objects as integers.
 *
 * The optimiser assumes that a ptrtoint of a reference always gives the same number: it merges one
 * made after a safepoint with one made before it, and hoists it out of loops. So casts, and
 * comparisons of the order of references, read the address by calling a function that the optimiser
 * does not know, where the program wrote them. After statepoints are inserted, the calls become
 * casts of the relocated references.
 *
 * A call stays in its place because it claims to write the memory that a safepoint writes. That
 * holds only if every call that may be a safepoint claims to do so, too, even a call of a function
 * whose polls are not inserted yet. Therefore each managed function contains an llvm.sideeffect,
 * which optimisations in the function itself ignore.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"

#include <string.h>

#include "codegen/ir/address_use.h"
#include "codegen/lower/phases.h"

static const char address_of[] = PRELUDE_PREFIX "address_of";

static LLVMTypeRef address_type(LLVMContextRef context) {
  LLVMTypeRef reference = LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE);
  return LLVMFunctionType(LLVMInt64TypeInContext(context), &reference, 1, false);
}

static LLVMValueRef address_function(LLVMModuleRef module) {
  return spgc_note_function(module, address_of, address_type(LLVMGetModuleContext(module)));
}

static LLVMValueRef read_address(LLVMBuilderRef builder, LLVMModuleRef module,
                                 LLVMValueRef reference) {
  LLVMTypeRef type = address_type(LLVMGetModuleContext(module));
  return LLVMBuildCall2(builder, type, address_function(module), &reference, 1, "");
}

/* `(T *)(long)p` means p, wherever its object is by then. */
static void simplify(LLVMValueRef instruction) {
  bool is_back = LLVMIsAIntToPtrInst(instruction) != NULL && spgc_ir_is_reference(instruction) &&
                 spgc_ir_is_cast_of_reference(LLVMGetOperand(instruction, 0));
  if (is_back)
    spgc_ir_replace(instruction, LLVMGetOperand(LLVMGetOperand(instruction, 0), 0));
}

static void hide_cast(LLVMModuleRef module, LLVMValueRef cast) {
  if (spgc_address_uses_survive_moving(cast))
    return;
  LLVMBuilderRef builder = spgc_ir_builder_before(cast);
  LLVMValueRef address = read_address(builder, module, LLVMGetOperand(cast, 0));
  spgc_ir_replace(cast, LLVMBuildIntCast2(builder, address, LLVMTypeOf(cast), false, ""));
  LLVMDisposeBuilder(builder);
}

/* Two pointers into one object move together, so their comparison needs no addresses. */
static void hide_compare(LLVMModuleRef module, LLVMValueRef compare) {
  LLVMValueRef left = LLVMGetOperand(compare, 0), right = LLVMGetOperand(compare, 1);
  LLVMValueRef base = spgc_ir_only_base(left);
  if (base != NULL && base == spgc_ir_only_base(right))
    return;
  LLVMBuilderRef builder = spgc_ir_builder_before(compare);
  LLVMValueRef left_address = read_address(builder, module, left),
               right_address = read_address(builder, module, right);
  spgc_ir_replace(compare, LLVMBuildICmp(builder, LLVMGetICmpPredicate(compare), left_address,
                                         right_address, ""));
  LLVMDisposeBuilder(builder);
}

/* Collects the instructions to be hidden first, because hiding them changes the function. */
static void find_addresses(LLVMValueRef function, struct values *found) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    simplify(instruction);
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_cast_of_reference(instruction) ||
        (spgc_ir_is_ordered_compare(instruction) &&
         spgc_ir_is_reference(LLVMGetOperand(instruction, 0))))
      spgc_values_add(found, instruction);
}

/* Lets the optimiser know of a function's body that it reads and writes what a safepoint does. */
static void claim_effects(LLVMModuleRef module, LLVMValueRef function) {
  LLVMBuilderRef builder = spgc_ir_builder_before(spgc_ir_first_after_allocas(function));
  unsigned id = LLVMLookupIntrinsicID("llvm.sideeffect", strlen("llvm.sideeffect"));
  LLVMValueRef sideeffect = LLVMGetIntrinsicDeclaration(module, id, NULL, 0);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(sideeffect), sideeffect, NULL, 0, "");
  LLVMDisposeBuilder(builder);
}

static void claim_effects_of_safepoints(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module) {
    if (LLVMGetIntrinsicID(function) != 0)
      continue;
    spgc_declare_safepoint(function);
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      claim_effects(module, function);
  }
}

enum spgc_result spgc_hide_addresses(struct lowering *lowering, struct spgc_error *error) {
  struct values found = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    find_addresses(function, &found);
  for (unsigned i = 0; i < found.count; i++)
    if (LLVMIsAICmpInst(found.at[i]))
      hide_compare(lowering->module, found.at[i]);
    else
      hide_cast(lowering->module, found.at[i]);
  spgc_values_free(&found);
  return SPGC_OK;
}

enum spgc_result spgc_claim_safepoints(struct lowering *lowering, struct spgc_error *error) {
  if (LLVMGetNamedFunction(lowering->module, address_of) != NULL)
    claim_effects_of_safepoints(lowering->module);
  return SPGC_OK;
}

enum spgc_result spgc_show_addresses(struct lowering *lowering, struct spgc_error *error) {
  LLVMValueRef function = LLVMGetNamedFunction(lowering->module, address_of);
  if (function == NULL)
    return SPGC_OK;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;) {
    LLVMValueRef call = LLVMGetUser(use);
    LLVMBuilderRef builder = spgc_ir_builder_before(call);
    spgc_ir_replace(call,
                    LLVMBuildPtrToInt(builder, LLVMGetOperand(call, 0), LLVMTypeOf(call), ""));
    LLVMDisposeBuilder(builder);
  }
  LLVMDeleteFunction(function);
  return SPGC_OK;
}
