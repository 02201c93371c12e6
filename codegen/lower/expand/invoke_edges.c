/* The edge on which an invoke returns becomes a block if its result needs a place of its own: RS4GC
 * saves a leaf's reference there, and structures are taken apart there. In a loop's header this
 * would run in each iteration, with a result from before a collection. RS4GC makes such blocks only
 * for statepoints. */
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

static bool needs_place(LLVMValueRef instruction) {
  return LLVMIsAInvokeInst(instruction) != NULL &&
         spgc_ir_type_contains_reference(LLVMTypeOf(instruction)) &&
         (spgc_ir_call_is_leaf(instruction) ||
          spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(instruction)));
}

static bool any_needs_place(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module)
    if (spgc_ir_function_is_managed(function))
      IR_EACH_BLOCK (block, function)
        if (LLVMGetBasicBlockTerminator(block) != NULL &&
            needs_place(LLVMGetBasicBlockTerminator(block)))
          return true;
  return false;
}

enum spgc_result spgc_part_invokes(struct lowering *lowering, struct spgc_error *error) {
  if (any_needs_place(lowering->module))
    spgc_run_passes(lowering, "function(break-crit-edges)");
  return SPGC_OK;
}
