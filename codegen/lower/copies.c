/* Copies of words that may be references.
 *
 * The optimiser turns a short memcpy into a load and a store of an integer, and an integer that is
 * an object's address does not follow the object when it moves. The optimiser also shortens longer
 * copies whose ends are overwritten. So copies are calls of a function that the optimiser does not
 * know, until no optimisation follows. Copies to and from local variables that nobody else uses are
 * left to promotion, which gives each word the type it has in the variable.
 */
#include "codegen/ir/access_type.h"
#include "codegen/ir/hidden.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"

enum { DESTINATION, SOURCE, LENGTH };
enum { WORD = sizeof(uint64_t) };

/* True if all that is done with a pointer into a variable is to read and write there. Others may
 * use the variable as what its type does not show, and so does a function that is inlined later. */
static bool is_private(LLVMValueRef pointer) {
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool is_address = LLVMIsALoadInst(user) != NULL ||
                      (LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, 0) != pointer) ||
                      spgc_ir_is_transfer(user) || spgc_ir_is_any_intrinsic(user);
    if (!is_address && (LLVMIsAGetElementPtrInst(user) == NULL || !is_private(user)))
      return false;
  }
  return true;
}

/* True for a variable that may yet be promoted, and holds no reference. */
static bool is_local(LLVMValueRef pointer) {
  LLVMValueRef variable = spgc_ir_is_reference(pointer) ? NULL : spgc_ir_underlying_alloca(pointer);
  return variable != NULL && !spgc_ir_type_contains_reference(LLVMGetAllocatedType(variable)) &&
         is_private(variable);
}

static bool may_become_integer(LLVMValueRef transfer) {
  LLVMValueRef length = LLVMGetOperand(transfer, LENGTH);
  bool is_short = LLVMIsAConstantInt(length) != NULL && LLVMConstIntGetZExtValue(length) < WORD;
  return !is_short && !spgc_copy_is_of_numbers(transfer) &&
         !is_local(LLVMGetOperand(transfer, DESTINATION)) &&
         !is_local(LLVMGetOperand(transfer, SOURCE));
}

/* Local variables are values by now, as far as possible. A function without references may copy
 * them through the pointers that it is given, and be inlined where safepoints are. Element-wise
 * copies that are safepoints are not hidden. */
enum spgc_result spgc_hide_copies(struct lowering *lowering, struct spgc_error *error) {
  if (!spgc_has_safepoints(lowering->module))
    return SPGC_OK;
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (spgc_ir_is_memory_transfer(instruction) && spgc_ir_call_is_leaf(instruction) &&
            may_become_integer(instruction))
          spgc_hide_copy(instruction);
  return SPGC_OK;
}
