/* LLVM returns a result in memory if it does not fit its convention's registers. For such a
 * statepoint it crashes, or records a call of address 0. */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/parts.h"

/* LLVM returns a third number on the x87 stack. */
enum { MOST_INTEGERS = 3, MOST_INTEGERS_OF_SWIFT = 4, MOST_NUMBERS = 2 };

const struct objection *spgc_check_result_of_call(LLVMValueRef call) {
  static const struct objection does_not_fit = {
      30, "LLVM loses a result of a statepoint that does not fit the registers for results",
      "return it through a pointer (sret), or mark the call \"gc-leaf-function\" if it cannot "
      "reach a safepoint"};
  LLVMValueRef callee = spgc_ir_callee(call);
  bool vanishes = callee != NULL && spgc_ir_function_vanishes(callee);
  if ((spgc_ir_call_is_leaf(call) && !spgc_ir_call_has_bundle(call, "deopt")) || vanishes)
    return NULL;
  struct parts parts = spgc_parts_of(LLVMTypeOf(call));
  bool is_swift = spgc_check_convention_is_swift(LLVMGetInstructionCallConv(call));
  bool fits = parts.integers <= (is_swift ? MOST_INTEGERS_OF_SWIFT : MOST_INTEGERS) &&
              parts.numbers <= MOST_NUMBERS && parts.unknown == 0;
  return fits ? NULL : &does_not_fit;
}
