/* Calls of the runtime that have a fast path become calls of the prelude. */
#include "codegen/ir.h"
#include "codegen/lower.h"
#include "codegen/prelude.h"

static const struct expansion {
  const char *called, *body;
} expansions[] = {
    {"spgc_allocate", "spgc.allocate"},
    {"spgc_allocate_array", "spgc.allocate_array"},
    {"spgc_poll", "spgc.poll"},
    {"spgc_stack_low", "spgc.stack_low"},
};

static void expand_call(LLVMValueRef call) {
  LLVMValueRef callee = ir_callee(call);
  for (size_t i = 0; callee != NULL && i < sizeof expansions / sizeof *expansions; i++)
    if (ir_name_is(callee, expansions[i].called))
      prelude_redirect(call, expansions[i].body);
}

enum spgc_result expand_runtime_calls(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (ir_is_call(instruction))
          expand_call(instruction);
  return SPGC_OK;
}
