/* Inlining makes a function managed if either side is. An unmanaged function may contain, for
 * example, inline assembly or a landing pad of C++, which a managed one may not. Nor may a leaf
 * with a loop become managed before polls are placed (expand/leaf_loops.c). So each such function
 * gets its own gc strategy during inlining (docs/lowering.md, "Seven stages"). */
#include "codegen/check/check.h"

#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/leaf.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

static const char apart[] = PRELUDE_PREFIX "unmanaged";
static const char wish[] = "alwaysinline";

/* All are found before the first strategy is set. */
static void find_apart(struct lowering *lowering, struct values *found) {
  spgc_leaves_with_loops(lowering->module, found);
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && !spgc_ir_function_is_managed(function) &&
        !spgc_values_contain(found, function) && !spgc_check_could_be_managed(function))
      spgc_values_add(found, function);
}

/* The leaf called through a pointer is not known yet. */
static void keep_pointed_leaves(LLVMValueRef function) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_call(instruction) && spgc_ir_call_is_leaf(instruction) &&
        spgc_ir_callee(instruction) == NULL) {
      spgc_ir_remove_attribute(instruction, wish);
      spgc_ir_add_attribute(instruction, "noinline");
    }
}

enum spgc_result spgc_keep_apart(struct lowering *lowering, struct spgc_error *error) {
  struct values found = {0};
  if (!spgc_ir_module_is_managed(lowering->module))
    return SPGC_OK;
  find_apart(lowering, &found);
  for (unsigned i = 0; i < found.count; i++)
    LLVMSetGC(found.at[i], apart);
  spgc_values_free(&found);
  IR_EACH_FUNCTION (function, lowering->module)
    keep_pointed_leaves(function);
  return SPGC_OK;
}

static bool join(LLVMModuleRef module) {
  bool any = false;
  IR_EACH_FUNCTION (function, module)
    if (spgc_ir_function_is_managed(function) && strcmp(LLVMGetGC(function), apart) == 0) {
      LLVMSetGC(function, NULL);
      any = true;
    }
  return any;
}

static void forget_wish(LLVMValueRef function) {
  spgc_ir_remove_attribute(function, wish);
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_call(instruction))
      spgc_ir_remove_attribute(instruction, wish);
}

/* If functions were kept apart, only the lowering's own are inlined later. */
enum spgc_result spgc_end_inlining(struct lowering *lowering, struct spgc_error *error) {
  if (join(lowering->module))
    IR_EACH_FUNCTION (function, lowering->module)
      if (!spgc_ir_name_starts_with(function, PRELUDE_PREFIX))
        forget_wish(function);
  return SPGC_OK;
}
