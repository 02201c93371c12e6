/* Inlines functions that call themselves into themselves a few times, so that a walk of a tree pays
 * for a call, a poll and saved registers only at every fourth level (docs/lowering.md,
 * "Optimisation"). A copy of the function is inlined; its own calls go to the function, and are
 * inlined next. */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"
#include "codegen/optimise/optimise.h"
#include "support/fatal.h"

enum {
  MOST_LEVELS = 3,
  MOST_INSTRUCTIONS = 300, /* most in a function after inlining */
};

static bool is_for_inlining(LLVMValueRef call) {
  return LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(spgc_ir_callee(call)) &&
         LLVMGetNumOperandBundles(call) == 0 && spgc_ir_string(call, "statepoint-id") == NULL &&
         !spgc_ir_has_attribute(call, "noinline") && !spgc_ir_call_is_musttail(call);
}

static bool is_recursive(LLVMValueRef function) {
  IR_EACH_USER (user, function)
    if (spgc_ir_is_call(user) && spgc_ir_callee(user) == function && is_for_inlining(user) &&
        LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function)
      return true;
  return false;
}

bool spgc_inlines_recursion(const struct lowering *lowering) {
  if (lowering->options->optimisation < OPTIMISES_RECURSION || !lowering->options->inline_recursion)
    return false;
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && is_recursive(function))
      return true;
  return false;
}

struct recursion {
  LLVMValueRef function, copy;
  size_t copied; /* instructions of the copy */
  struct values calls;
  size_t instructions;
};

/* Allocas would stay until the outermost call ends, and LLVM's always-inline ignores
 * `noduplicate`. */
static bool has_single_instructions(LLVMValueRef function) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (LLVMGetInstructionOpcode(instruction) == LLVMAlloca ||
        (spgc_ir_is_call(instruction) &&
         spgc_ir_call_or_callee_has(instruction, IR_ON_FUNCTION, "noduplicate")))
      return true;
  return false;
}

static void read_calls(struct recursion *recursion) {
  spgc_values_free(&recursion->calls);
  recursion->instructions = 0;
  IR_EACH_INSTRUCTION_OF (instruction, recursion->function) {
    recursion->instructions++;
    if (spgc_ir_is_call(instruction) && spgc_ir_callee(instruction) == recursion->function &&
        is_for_inlining(instruction))
      spgc_values_add(&recursion->calls, instruction);
  }
}

static bool stays_small(const struct recursion *recursion, size_t added) {
  return recursion->calls.count != 0 &&
         recursion->instructions + added * recursion->calls.count <= MOST_INSTRUCTIONS;
}

static void call_copy(const struct recursion *recursion) {
  for (unsigned i = 0; i < recursion->calls.count; i++) {
    spgc_ir_call_set_callee(recursion->calls.at[i], recursion->copy);
    spgc_ir_add_attribute(recursion->calls.at[i], "alwaysinline");
  }
}

/* Calls that LLVM did not inline become calls of the original again. */
static void discard_copy(struct recursion *recursion) {
  LLVMUseRef use;
  while ((use = LLVMGetFirstUse(recursion->copy)) != NULL) {
    spgc_ir_remove_attribute(LLVMGetUser(use), "alwaysinline");
    spgc_ir_call_set_callee(LLVMGetUser(use), recursion->function);
  }
  LLVMDeleteFunction(recursion->copy);
  spgc_values_free(&recursion->calls);
}

struct recursions {
  struct recursion *at;
  size_t count;
};

static size_t count_functions(LLVMModuleRef module) {
  size_t count = 0;
  IR_EACH_FUNCTION (function, module)
    count++;
  return count;
}

static void find_recursions(struct recursions *recursions, LLVMModuleRef module) {
  recursions->at = calloc(count_functions(module) + 1, sizeof *recursions->at);
  spgc_require(recursions->at != NULL, "out of memory");
  IR_EACH_FUNCTION (function, module) {
    struct recursion recursion = {.function = function};
    if (LLVMIsDeclaration(function) || !spgc_ir_function_may_be_copied(function) ||
        has_single_instructions(function))
      continue;
    read_calls(&recursion);
    if (stays_small(&recursion, recursion.instructions))
      recursions->at[recursions->count++] = recursion;
    else
      spgc_values_free(&recursion.calls);
  }
}

/* One level of all functions. Returns whether another may follow. */
static bool inline_level(struct lowering *lowering, const struct recursions *recursions) {
  bool more = false;
  for (size_t i = 0; i < recursions->count; i++)
    if (stays_small(&recursions->at[i], recursions->at[i].copied))
      call_copy(&recursions->at[i]);
  spgc_run_passes(lowering, "always-inline");
  for (size_t i = 0; i < recursions->count; i++) {
    read_calls(&recursions->at[i]);
    more |= stays_small(&recursions->at[i], recursions->at[i].copied);
  }
  return more;
}

enum spgc_result spgc_inline_recursion(struct lowering *lowering, struct spgc_error *error) {
  struct recursions recursions = {0};
  if (!spgc_inlines_recursion(lowering))
    return SPGC_OK;
  find_recursions(&recursions, lowering->module);
  for (size_t i = 0; i < recursions.count; i++) {
    recursions.at[i].copied = recursions.at[i].instructions;
    recursions.at[i].copy =
        spgc_function_clone(recursions.at[i].function, PRELUDE_PREFIX "recursion");
  }
  for (int level = 0;
       recursions.count != 0 && level < MOST_LEVELS && inline_level(lowering, &recursions); level++)
    continue;
  for (size_t i = 0; i < recursions.count; i++)
    discard_copy(&recursions.at[i]);
  free(recursions.at);
  return SPGC_OK;
}
