#include <stdlib.h>
#include <string.h>

#include "codegen/check/check.h"
#include "codegen/emit/target.h"
#include "codegen/ir/diagnostics.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/phases.h"
#include "codegen/optimise/optimise.h"
#include "support/fatal.h"

enum spgc_result spgc_open_target(struct lowering *lowering, struct spgc_error *error) {
  enum spgc_result result =
      spgc_target_machine_create(lowering->options, &lowering->machine, error);
  return result == SPGC_OK ? spgc_target_prepare_module(lowering->module, lowering->machine, error)
                           : result;
}

/* The level must not decide which IR is legal. At every level, functions that ask for it are
 * inlined, so that it is seen what they do with a variable, by the pointer that they are given.
 * Calls whose functions are known only when pointers are values wait until functions are kept
 * apart. */
static enum spgc_result inline_always(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function) || spgc_ir_function_uses_references(function))
      spgc_ir_remove_attribute(function, "optnone");
  spgc_run_passes(lowering, "always-inline,function(mem2reg)");
  return SPGC_OK;
}

/* At every level, functions that use references are promoted even where the compiler asked for no
 * optimisation, before variables that stay in memory are checked. Functions that report their entry
 * and exit (clang's -finstrument-functions) do so by ordinary calls, which become statepoints as
 * other calls do: code generation would add calls without statepoints. Functions that were inlined
 * are not instrumented, because the instrumentation's calls would take their addresses. */
static enum spgc_result promote(struct lowering *lowering, struct spgc_error *error) {
  spgc_run_passes(lowering, "function(ee-instrument),function(sroa)");
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_vanishes(
            function)) /* it did not vanish, because it calls itself or its address is taken */
      spgc_ir_remove_attribute(function, "alwaysinline");
  return SPGC_OK;
}

static enum spgc_result merge_values(struct lowering *lowering, struct spgc_error *error) {
  spgc_run_passes(lowering, "function(early-cse)");
  return SPGC_OK;
}

/* Simplifies recursive functions for the next phases, so that these see them in one form and count
 * only the instructions that will remain. */
static enum spgc_result simplify_recursion(struct lowering *lowering, struct spgc_error *error) {
  if (lowering->options->optimisation >= OPTIMISES_RECURSION)
    spgc_run_passes(lowering, "function(simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg)");
  return SPGC_OK;
}

/* Coroutines without references are compiled at every level. */
#define COROUTINES "coro-cond(coro-early,cgscc(coro-split),coro-cleanup,globaldce),"

/* The passes whose effect is worth a waiting program's time: they take a third of default<O1>'s
 * time, and have all of its effect on code that consists of guards and calls. */
static const char short_pipeline[] =
    "always-inline," COROUTINES
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm,simple-loop-unswitch),early-cse<memssa>,simplifycfg,adce)";

static enum spgc_result optimise(struct lowering *lowering, struct spgc_error *error) {
  static const char *const pipelines[] = {"always-inline," COROUTINES "function(sroa)",
                                          short_pipeline, "default<O2>", "default<O3>"};
  spgc_run_passes(lowering, pipelines[lowering->options->optimisation]);
  spgc_run_passes(lowering, "function(ee-instrument<post-inline>)");
  return SPGC_OK;
}

static enum spgc_result link_prelude(struct lowering *lowering, struct spgc_error *error) {
  spgc_prelude_link(lowering->module, lowering->options->code);
  return SPGC_OK;
}

/* Constant descriptors fold into sizes, and zeroing is removed if the frontend's own stores cover
 * it. The polls are in place by now, so a store that only a collection would read is not removed
 * across one. */
static enum spgc_result expand_inline(struct lowering *lowering, struct spgc_error *error) {
  spgc_run_passes(lowering, "function(early-cse<memssa>,lower-constant-intrinsics,simplifycfg,"
                            "instcombine<no-verify-fixpoint>,dse,simplifycfg)");
  return SPGC_OK;
}

static enum spgc_result insert_statepoints(struct lowering *lowering, struct spgc_error *error) {
  spgc_run_passes(lowering, "rewrite-statepoints-for-gc");
  return SPGC_OK;
}

/* No later pass may compute a card's index on one side of a safepoint and use it on the other. */
static enum spgc_result expand_barriers(struct lowering *lowering, struct spgc_error *error) {
  spgc_run_passes(lowering, "always-inline");
  spgc_prelude_unlink(lowering->module);
  return SPGC_OK;
}

enum { MOST_PHASES = 12 };

/* A list of phases, and the verification of the invariant that holds behind them. */
static const struct stage {
  const char *name;
  lowering_phase *phases[MOST_PHASES];
  lowering_phase *verify;
} stages[] = {
    {"read",
     {spgc_empty_unreachable_blocks, spgc_normalise, spgc_take_polls, spgc_check_descriptors,
      spgc_check_allocators, spgc_declare_runtime, spgc_keep_library_calls, spgc_clamp_alignments,
      spgc_keep_leaf_loops, inline_always},
     spgc_verify_read},
    {"promote", {spgc_expand_transitions, promote}, spgc_verify_promoted},
    {"close",
     {spgc_split_aggregate_accesses, spgc_check_numbers, spgc_hide_copies, spgc_hide_addresses,
      spgc_claim_safepoints},
     spgc_verify_typed},
    {"optimise",
     {spgc_keep_apart, merge_values, simplify_recursion, spgc_inline_recursion,
      spgc_keep_tail_results, optimise, spgc_release_tail_results, spgc_end_inlining,
      spgc_gather_allocas, spgc_forget_memory_effects},
     spgc_verify_typed},
    {"expand",
     {link_prelude, spgc_name_leaf_calls, spgc_place_polls, spgc_expand_runtime_calls,
      expand_inline, spgc_show_copies, spgc_give_leaf_entries, spgc_part_invokes,
      spgc_take_aggregates_apart, spgc_define_references, spgc_show_bases, spgc_give_slots},
     spgc_verify_expanded},
    {"statepoints", {spgc_cut_long_blocks, insert_statepoints}, spgc_verify_relocated},
    {"finish",
     {spgc_forget_bases, spgc_show_addresses, spgc_part_operands, spgc_list_variables,
      spgc_insert_barriers, spgc_describe_module, spgc_place_constructors, spgc_leave_comdats,
      expand_barriers, spgc_demand_unwind_tables},
     spgc_verify_finished},
};

enum { STAGES = sizeof stages / sizeof *stages };

/* Without these there are no barriers, no calls through the runtime, no record of the module,
 * objects of any allocator, and references where LLVM alone would list them. */
static bool is_own(lowering_phase *phase) {
  return phase == spgc_check_allocators || phase == link_prelude || phase == spgc_give_slots ||
         phase == spgc_insert_barriers || phase == spgc_describe_module;
}

static enum spgc_result run_phase(lowering_phase *phase, struct lowering *lowering,
                                  struct spgc_error *error) {
  return spgc_is_foreign(lowering) && is_own(phase) ? SPGC_OK : phase(lowering, error);
}

enum spgc_result spgc_run_stages(struct lowering *lowering,
                                 bool (*goes_on)(void *context, enum spgc_result result,
                                                 const struct spgc_error *error),
                                 void *context, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (const struct stage *stage = stages; stage < stages + STAGES; stage++) {
    lowering->stage = stage->name;
    for (size_t i = 0; i < MOST_PHASES && stage->phases[i] != NULL; i++) {
      result = run_phase(stage->phases[i], lowering, error);
      if (!goes_on(context, result, error))
        return result;
    }
    result = stage->verify(lowering, error);
    if (!goes_on(context, result, error))
      return result;
  }
  return result;
}

static bool is_ok(void *unused, enum spgc_result result, const struct spgc_error *error) {
  return result == SPGC_OK;
}

/* The rules of the processor are those of the target, which the module need not name. A module that
 * is refused stays as it was given. */
static enum spgc_result check_for_target(struct lowering *lowering, struct spgc_error *error) {
  LLVMModuleRef module = lowering->module;
  char *triple = strdup(LLVMGetTarget(module)), *layout = strdup(LLVMGetDataLayoutStr(module));
  spgc_require(triple != NULL && layout != NULL, "out of memory");
  enum spgc_result result = spgc_open_target(lowering, error);
  if (result == SPGC_OK)
    result = spgc_check_rules(module, error);
  if (result != SPGC_OK) {
    LLVMSetTarget(module, triple);
    LLVMSetDataLayout(module, layout);
  }
  free(triple);
  free(layout);
  return result;
}

enum spgc_result spgc_lower_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                   struct spgc_error *error) {
  struct spgc_lower_options known;
  enum spgc_result result = spgc_lower_options_read(&known, options, "spgc_lower_module", error);
  if (result == SPGC_OK)
    result = spgc_check_barriers(&known, error);
  if (result == SPGC_OK)
    result = spgc_check_form(module, error);
  struct lowering lowering = {.module = module, .options = &known};
  if (result == SPGC_OK)
    result = check_for_target(&lowering, error);
  if (result == SPGC_OK) {
    struct diagnostics diagnostics;
    spgc_diagnostics_catch(&diagnostics, LLVMGetModuleContext(module));
    result = spgc_run_stages(&lowering, is_ok, NULL, error);
    result = spgc_diagnostics_release(&diagnostics, result, error);
  }
  if (lowering.machine != NULL)
    LLVMDisposeTargetMachine(lowering.machine);
  return result;
}
