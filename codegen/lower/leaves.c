/* Leaves while the optimiser runs.
 *
 * No object moves while a leaf runs, so it may hold addresses in ordinary pointers. Loops in a
 * managed function get polls. So a leaf with a loop never becomes a part of a managed function,
 * even if it asks for that: inlining.c keeps it apart. A leaf without one may, because nothing but
 * loops and entries gets polls.
 *
 * A leaf may claim to touch no memory, or only what its arguments lead to, and give a number that
 * is an address or was computed from one. The optimiser would merge two calls around a safepoint.
 * So such a leaf claims to read the memory that a safepoint writes, too. */
#include "codegen/ir/leaf.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"

static const char wish[] = "alwaysinline";

static void forget_wish(LLVMValueRef function) {
  spgc_ir_function_remove_attribute(function, wish);
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (spgc_ir_is_call(user) && spgc_ir_callee(user) == function &&
        spgc_ir_call_has_attribute(user, wish))
      spgc_ir_call_remove_attribute(user, wish);
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

/* The body of a leaf that the optimiser sees would take the claim back. */
static void claim_for_callee(struct lowering *lowering, LLVMValueRef callee,
                             struct values *claimed) {
  if (spgc_values_contain(claimed, callee))
    return;
  spgc_values_add(claimed, callee);
  spgc_declare_reading_leaf(callee, true);
  if (!LLVMIsDeclaration(callee))
    spgc_claim_effects(lowering->module, callee);
}

static void claim_for_call(struct lowering *lowering, LLVMValueRef call, struct values *claimed) {
  LLVMValueRef callee = spgc_ir_callee(call);
  spgc_declare_reading_leaf(call, false);
  if (callee != NULL && LLVMIsAFunction(callee) != NULL)
    claim_for_callee(lowering, callee, claimed);
}

/* All are judged before the first body is changed, which is one of the things that they are judged
 * by. */
enum spgc_result spgc_claim_leaf_effects(struct lowering *lowering, struct spgc_error *error) {
  struct values calls = {0}, claimed = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (spgc_leaf_tells_address(instruction)) {
          spgc_values_add(&calls, instruction);
          lowering->reads_addresses |=
              spgc_leaf_gives_address(instruction) || spgc_declares_few_effects(instruction);
        } else if (spgc_leaf_may_store_address(instruction)) {
          lowering->reads_addresses = true;
        }
  for (unsigned i = 0; i < calls.count; i++)
    claim_for_call(lowering, calls.at[i], &claimed);
  spgc_values_free(&calls);
  spgc_values_free(&claimed);
  return SPGC_OK;
}
