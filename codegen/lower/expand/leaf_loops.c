/* No object moves while a leaf runs, so it may keep addresses in ordinary pointers. In a managed
 * function its loops would get polls. So inlining.c keeps a leaf with loops apart, even if it has
 * `alwaysinline`, until polls are placed. */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/leaf.h"
#include "codegen/lower/phases.h"

static const char wish[] = "alwaysinline";
static const char late_wish[] = "spgc-inline-late";
static const char refusal[] = "noinline";

static void forget_wish(LLVMValueRef function) {
  if (spgc_ir_has_attribute(function, wish))
    spgc_ir_add_string(function, late_wish);
  spgc_ir_remove_attribute(function, wish);
  IR_EACH_USER (user, function) {
    if (spgc_ir_is_call(user) && spgc_ir_callee(user) == function)
      spgc_ir_remove_attribute(user, wish);
  }
}

enum spgc_result spgc_keep_leaf_loops(struct lowering *lowering, struct spgc_error *error) {
  struct values leaves = {0};
  spgc_leaves_with_loops(lowering->module, &leaves);
  for (unsigned i = 0; i < leaves.count; i++)
    forget_wish(leaves.at[i]);
  spgc_values_free(&leaves);
  return SPGC_OK;
}

/* `others` may be inlined again later. */
static void refuse_others(LLVMModuleRef module, const struct values *leaves,
                          struct values *others) {
  IR_EACH_FUNCTION (function, module)
    if (!LLVMIsDeclaration(function) && !spgc_values_contain(leaves, function) &&
        !spgc_ir_has_attribute(function, wish) && !spgc_ir_has_attribute(function, refusal)) {
      spgc_ir_add_attribute(function, refusal);
      spgc_values_add(others, function);
    }
}

static void find_inlinable(LLVMModuleRef module, struct values *leaves) {
  struct values all = {0};
  spgc_leaves_with_loops(module, &all);
  for (unsigned i = 0; i < all.count; i++)
    if (spgc_check_could_be_managed(all.at[i])) {
      spgc_values_add(leaves, all.at[i]);
      if (spgc_ir_string(all.at[i], late_wish) != NULL)
        spgc_ir_add_attribute(all.at[i], wish);
    }
  spgc_values_free(&all);
}

/* Functions that ask for it are inlined at every level. */
enum spgc_result spgc_inline_leaf_loops(struct lowering *lowering, struct spgc_error *error) {
  struct values leaves = {0}, others = {0};
  if (!spgc_ir_module_is_managed(lowering->module))
    return SPGC_OK;
  find_inlinable(lowering->module, &leaves);
  if (leaves.count != 0)
    IR_EACH_FUNCTION (function, lowering->module)
      if (!LLVMIsDeclaration(function))
        spgc_note_inlining(function);
  if (leaves.count != 0 && lowering->options->optimisation >= 2) {
    refuse_others(lowering->module, &leaves, &others);
    spgc_run_passes(lowering, "cgscc(inline)");
    for (unsigned i = 0; i < others.count; i++)
      spgc_ir_remove_attribute(others.at[i], refusal);
  }
  spgc_values_free(&leaves);
  spgc_values_free(&others);
  return SPGC_OK;
}
