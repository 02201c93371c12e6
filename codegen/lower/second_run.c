/* Functions without safepoints are optimised a second time, with nothing hidden in them.
 *
 * Words are hidden in functions without references, too, because these may be inlined where
 * safepoints are (words.c, copies.c). The optimiser neither vectorises a loop over hidden words nor
 * moves anything out of it. Once functions have been inlined, a function that calls nothing but
 * leaves is run without safepoints. So its words are shown, and passes over functions run again.
 * All other functions are marked `optnone` for that time. Passes over the whole module must not run
 * again, because they would move accesses into the callers.
 */
#include "codegen/ir/hidden.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"

#include <string.h>

#include "codegen/ir/values.h"

/* A function that the optimiser has to leave alone gets these attributes, and beside each that is
 * new to it another, of the name with the prelude's prefix. */
static const char *const attributes[] = {"optnone", "noinline"};
static const char *const marks[] = {PRELUDE_PREFIX "optnone", PRELUDE_PREFIX "noinline"};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };

static bool is_without_safepoints(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && !spgc_ir_function_is_managed(function) &&
         spgc_ir_function_calls_only_leaves(function);
}

/* Returns whether something was hidden. */
static bool show_words_of(LLVMValueRef function) {
  bool any = false;
  IR_EACH_BLOCK (block, function)
    for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
         instruction = next) {
      next = LLVMGetNextInstruction(instruction);
      if (spgc_is_round(instruction))
        LLVMInstructionEraseFromParent(instruction);
      else if (spgc_show(instruction))
        any = true;
    }
  return any;
}

static void leave_alone(LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  for (unsigned i = 0; i < ATTRIBUTES; i++)
    if (!spgc_ir_function_has_attribute(function, attributes[i])) {
      spgc_ir_function_add_attribute(function, attributes[i]);
      LLVMAddAttributeAtIndex(
          function, IR_ON_FUNCTION,
          LLVMCreateStringAttribute(context, marks[i], (unsigned)strlen(marks[i]), "", 0));
    }
}

static void stop_leaving_alone(LLVMValueRef function) {
  for (unsigned i = 0; i < ATTRIBUTES; i++) {
    unsigned length = (unsigned)strlen(marks[i]);
    if (LLVMGetStringAttributeAtIndex(function, IR_ON_FUNCTION, marks[i], length) == NULL)
      continue;
    LLVMRemoveStringAttributeAtIndex(function, IR_ON_FUNCTION, marks[i], length);
    spgc_ir_function_remove_attribute(function, attributes[i]);
  }
}

/* The passes of LLVM's pipelines that work on what could not be seen before. */
#define SCALAR_PASSES                                                                              \
  "early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"                                 \
  "loop-mssa(loop-rotate,licm,simple-loop-unswitch),early-cse<memssa>,simplifycfg,"                \
  "instcombine<no-verify-fixpoint>"
static const char scalar_passes[] = "function(" SCALAR_PASSES ",adce)";
static const char all_passes[] =
    "function(" SCALAR_PASSES ",loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),gvn,dse,"
    "loop-mssa(licm),adce,loop-vectorize,loop-load-elim,instcombine<no-verify-fixpoint>,"
    "simplifycfg,vector-combine,loop-unroll,instcombine<no-verify-fixpoint>,simplifycfg)";
enum { VECTORISES = 2 }; /* from this level on */

/* `functions` are in the order of the module. */
static void run_again(struct lowering *lowering, const struct values *functions) {
  unsigned next = 0;
  IR_EACH_FUNCTION (function, lowering->module)
    if (next < functions->count && functions->at[next] == function)
      next++;
    else if (!LLVMIsDeclaration(function))
      leave_alone(function);
  spgc_run_passes(lowering,
                  lowering->options->optimisation < VECTORISES ? scalar_passes : all_passes);
  IR_EACH_FUNCTION (function, lowering->module)
    stop_leaving_alone(function);
}

enum spgc_result spgc_optimise_shown(struct lowering *lowering, struct spgc_error *error) {
  struct values shown = {0};
  if (lowering->options->optimisation == 0 || !spgc_has_safepoints(lowering->module))
    return SPGC_OK;
  IR_EACH_FUNCTION (function, lowering->module)
    if (is_without_safepoints(function) && show_words_of(function))
      spgc_values_add(&shown, function);
  if (shown.count != 0)
    run_again(lowering, &shown);
  spgc_values_free(&shown);
  return SPGC_OK;
}
