/* Leaves while the optimiser runs.
 *
 * No object moves while a leaf runs, so it may hold addresses in ordinary pointers. Loops in a
 * managed function get polls. So a leaf with a loop never becomes a part of a managed function,
 * even if it asks for that: inlining.c keeps it apart. A leaf without one may, because nothing but
 * loops and entries gets polls. */
#include "codegen/ir/leaf.h"

#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

static const char wish[] = "alwaysinline";

static void forget_wish(LLVMValueRef function) {
  spgc_ir_remove_attribute(function, wish);
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (spgc_ir_is_call(user) && spgc_ir_callee(user) == function)
      spgc_ir_remove_attribute(user, wish);
  }
}

/* Leaves may still be inlined in leaves. */
enum spgc_result spgc_keep_leaf_loops(struct lowering *lowering, struct spgc_error *error) {
  struct cycles cycles = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && !spgc_ir_function_is_managed(function) &&
        spgc_leaf_is_called_as_one(function) && spgc_leaf_may_cycle(&cycles, function))
      forget_wish(function);
  spgc_cycles_free(&cycles);
  return SPGC_OK;
}
