/* Keeps managed code and code that it may not hold apart while functions are inlined.
 *
 * A function that is inlined into a managed one is managed from then on, and so is one into which a
 * managed one is inlined: LLVM hands the gc strategy on. An unmanaged function may hold what a
 * managed one may not, such as inline assembly or a landing pad of C++. Without care the program
 * would be refused where the optimiser inlines more.
 *
 * So each unmanaged function that would be refused if it were managed gets a gc strategy of its own
 * for as long as functions are inlined. LLVM never inlines across different strategies, and hands
 * on this one, too: a function into which such a one was inlined is kept apart from then on. That
 * holds for calls through pointers as well, whose callees the optimiser finds. All other inlining
 * stays as it is.
 *
 * What `alwaysinline` functions bring together is brought together before, at every level. */
#include "codegen/check/check.h"

#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"

static const char apart[] = PRELUDE_PREFIX "unmanaged";
static const char wish[] = "alwaysinline";

static bool has_managed_functions(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      return true;
  return false;
}

enum spgc_result spgc_keep_apart(struct lowering *lowering, struct spgc_error *error) {
  if (!has_managed_functions(lowering->module))
    return SPGC_OK;
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && !spgc_ir_function_is_managed(function) &&
        !spgc_check_could_be_managed(function))
      LLVMSetGC(function, apart);
  return SPGC_OK;
}

/* Returns whether there was one. */
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
  spgc_ir_function_remove_attribute(function, wish);
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (spgc_ir_is_call(instruction) && spgc_ir_call_has_attribute(instruction, wish))
        spgc_ir_call_remove_attribute(instruction, wish);
}

/* Where functions were kept apart, none but those of the lowering itself is inlined later. */
enum spgc_result spgc_end_inlining(struct lowering *lowering, struct spgc_error *error) {
  if (join(lowering->module))
    IR_EACH_FUNCTION (function, lowering->module)
      if (!spgc_ir_name_starts_with(function, PRELUDE_PREFIX))
        forget_wish(function);
  return SPGC_OK;
}
