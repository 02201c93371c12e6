#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/phases.h"

static const char poll[] = PRELUDE_PREFIX "poll"; /* poll.c has added calls */

static const struct expansion {
  const char *called, *body;
  bool allocates; /* the other bodies are as simple as they can be */
} expansions[] = {
    {"spgc_allocate", "spgc.allocate", true},
    {"spgc_allocate_array", "spgc.allocate_array", true},
    {"spgc_poll", poll, false},
    {"spgc_stack_low", "spgc.stack_low", false},
};

static bool is_slow_allocation(LLVMValueRef instruction) {
  LLVMValueRef callee = spgc_ir_is_call(instruction) ? spgc_ir_callee(instruction) : NULL;
  return callee != NULL && spgc_ir_name_is(callee, "spgc_allocate_slow");
}

/* Inlining loses a call's attributes, so a call with an ID gets a body of its own. */
static void keep_id(LLVMValueRef call) {
  LLVMAttributeRef kept = spgc_ir_string(call, "statepoint-id");
  if (kept == NULL)
    return;
  LLVMValueRef body = spgc_function_clone(spgc_ir_callee(call), PRELUDE_PREFIX "with_id");
  IR_EACH_INSTRUCTION_OF (instruction, body)
    if (is_slow_allocation(instruction))
      LLVMAddCallSiteAttribute(instruction, IR_ON_FUNCTION, kept);
  spgc_ir_call_set_callee(call, body);
}

/* For another collector the calls stay, and only polls are inlined. */
void spgc_expand_runtime_calls(struct lowering *lowering, LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_is_call(call) ? spgc_ir_callee(call) : NULL;
  for (size_t i = 0; callee != NULL && i < sizeof expansions / sizeof *expansions; i++)
    if (spgc_ir_name_is(callee, expansions[i].called)) {
      if (expansions[i].allocates)
        spgc_note_inlining(spgc_ir_function_of(call));
      spgc_prelude_redirect(call, expansions[i].body);
      keep_id(call);
      return;
    }
  if (callee != NULL && spgc_ir_has_attribute(callee, "alwaysinline") &&
      !spgc_ir_name_is(callee, poll))
    spgc_note_inlining(spgc_ir_function_of(call));
}
