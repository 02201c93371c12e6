#include "codegen/ir/lowering.h"

#include <llvm-c/Transforms/PassBuilder.h>

#include "codegen/check/check.h"
#include "codegen/emit/target.h"
#include "codegen/ir/diagnostics.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "support/fatal.h"
#include "support/sized.h"

void spgc_lower_options_initialise(struct spgc_lower_options *options) {
  const struct spgc_lower_options defaults = {.code = SPGC_CODE_AHEAD_OF_TIME,
                                              .polls = SPGC_POLLS_ENTRIES_AND_LOOPS,
                                              .optimisation = 2,
                                              .inline_recursion = true,
                                              .leaf_entries = true};
  spgc_sized_write(options, &defaults, sizeof defaults, "spgc_lower_options_default");
}

enum spgc_result spgc_lower_options_read(struct spgc_lower_options *known,
                                         const struct spgc_lower_options *given, const char *caller,
                                         struct spgc_error *error) {
  spgc_lower_options_default(known);
  return spgc_sized_read(known, sizeof *known, given, caller, error);
}

void spgc_run_passes(struct lowering *lowering, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef failed = LLVMRunPasses(lowering->module, passes, lowering->machine, options);
  spgc_require(failed == NULL, "%s: %s", passes, LLVMGetErrorMessage(failed));
  LLVMDisposePassBuilderOptions(options);
}

static enum spgc_result set_target(struct lowering *lowering, struct spgc_error *error) {
  return spgc_target_prepare_module(lowering->module, lowering->machine, error);
}

/* Functions that report their entry and exit (clang's -finstrument-functions) do so by ordinary
 * calls, which become statepoints as other calls do. Code generation would add calls without
 * statepoints. */
static void instrument(struct lowering *lowering, const char *pass) {
  spgc_run_passes(lowering, pass);
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      spgc_copy_parameters_first(function);
}

/* The level must not decide which IR is legal. At every level, functions that ask for it are
 * inlined, so that it is seen what they do with a variable, by the pointer that they are given,
 * before copies and words get the types of their variables. Calls whose functions are known only
 * when pointers are values wait until functions are kept apart. */
static enum spgc_result inline_always(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function) || spgc_ir_function_uses_references(function))
      spgc_ir_function_remove_attribute(function, "optnone");
  spgc_run_passes(lowering, "always-inline,function(mem2reg)");
  return SPGC_OK;
}

/* At every level, functions that use references are promoted even where the compiler asked for no
 * optimisation, before variables that stay in memory are checked. Functions that were inlined are
 * not instrumented, because the instrumentation's calls would take their addresses. */
static enum spgc_result promote(struct lowering *lowering, struct spgc_error *error) {
  instrument(lowering, "function(ee-instrument)");
  spgc_run_passes(lowering, "function(sroa)");
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_vanishes(
            function)) /* it did not vanish, because it calls itself or its address is taken */
      spgc_ir_function_remove_attribute(function, "alwaysinline");
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
  instrument(lowering, "function(ee-instrument<post-inline>)");
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

/* Input that fails here is broken by RS4GC and not covered by the checker's rules. */
static enum spgc_result verify(struct lowering *lowering, struct spgc_error *error) {
  return spgc_verify_module(lowering->module, SPGC_ERROR_REJECTED,
                            "LLVM cannot give the module statepoints", error);
}

/* clang-format off */
static lowering_phase *const phases[] = {
    spgc_empty_unreachable_blocks,
    spgc_drop_unused_intrinsics,
    spgc_name_address_casts,
    spgc_drop_annotations,
    set_target,
    spgc_take_polls,
    spgc_type_parameters,
    spgc_check_descriptors,
    spgc_check_allocators,
    spgc_declare_runtime,
    spgc_keep_library_calls,
    spgc_clamp_alignments,
    spgc_keep_leaf_loops,
    inline_always,
    spgc_show_variables,
    spgc_check_storage,
    spgc_note_unowned,
    spgc_copy_by_words,
    spgc_note_copies,
    spgc_expand_transitions,
    spgc_copy_memory_parameters,
    spgc_type_atomics,
    spgc_split_aggregate_accesses,
    spgc_show_shared_words,
    promote,
    spgc_check_unowned,
    spgc_check_storage, /* again, because pointers to variables are values now */
    spgc_check_variables,
    spgc_type_atomics, /* again, because a number that was in a variable is seen to be a cast now */
    spgc_hide_copies,
    spgc_hide_addresses,
    spgc_hide_words,
    spgc_hide_word_calls,
    spgc_claim_leaf_effects,
    spgc_claim_safepoints,
    spgc_note_rounds,
    spgc_keep_apart,
    merge_values,
    simplify_recursion,
    spgc_inline_recursion,
    spgc_keep_tail_results,
    optimise,
    spgc_release_tail_results,
    spgc_end_inlining,
    spgc_optimise_shown,
    spgc_gather_allocas,
    spgc_forget_memory_effects,
    spgc_drop_store_notes,
    link_prelude,
    spgc_name_leaf_calls,
    spgc_place_polls,
    spgc_expand_runtime_calls,
    expand_inline,
    spgc_show_hidden,
    spgc_split_aggregate_accesses, /* again: words of inlined functions are seen now */
    spgc_show_shared_words,        /* again, for the same reason */
    spgc_give_leaf_entries,
    spgc_split_aggregate_choices,
    spgc_part_invokes,
    spgc_take_aggregates_apart,
    spgc_check_before_statepoints,
    spgc_define_references,
    spgc_show_bases,
    spgc_note_integers,
    spgc_cut_long_blocks,
    insert_statepoints,
    spgc_check_relocated,
    spgc_forget_bases,
    spgc_show_addresses,
    spgc_part_operands, /* behind the casts that were hidden */
    spgc_list_variables,
    spgc_insert_barriers,
    spgc_describe_module,
    spgc_place_constructors,
    spgc_leave_comdats,
    expand_barriers,
    spgc_demand_unwind_tables,
    verify,
    spgc_check_lowered,
};
/* clang-format on */

size_t spgc_phase_count(void) {
  return sizeof phases / sizeof *phases;
}

/* Without these there are no barriers, no calls through the runtime, no record of the module, and
 * objects of any allocator. */
static lowering_phase *const own_phases[] = {
    spgc_check_allocators, spgc_note_copies,     spgc_expand_transitions, link_prelude,
    spgc_note_integers,    spgc_insert_barriers, spgc_describe_module,
};

static bool is_own(lowering_phase *phase) {
  for (size_t i = 0; i < sizeof own_phases / sizeof *own_phases; i++)
    if (own_phases[i] == phase)
      return true;
  return false;
}

enum spgc_result spgc_run_phase(size_t number, struct lowering *lowering,
                                struct spgc_error *error) {
  if (spgc_is_foreign(lowering) && is_own(phases[number]))
    return SPGC_OK;
  return phases[number](lowering, error);
}

enum spgc_result spgc_lower_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                   struct spgc_error *error) {
  struct spgc_lower_options known;
  enum spgc_result result = spgc_lower_options_read(&known, options, "spgc_lower_module", error);
  if (result == SPGC_OK)
    result = spgc_check_barriers(&known, error);
  if (result == SPGC_OK)
    result = spgc_check_module(module, error);
  if (result != SPGC_OK)
    return result;
  struct lowering lowering = {.module = module, .options = &known};
  result = spgc_target_machine_create(&known, &lowering.machine, error);
  if (result != SPGC_OK)
    return result;
  struct diagnostics diagnostics;
  spgc_diagnostics_catch(&diagnostics, LLVMGetModuleContext(module));
  for (size_t i = 0; result == SPGC_OK && i < spgc_phase_count(); i++)
    result = spgc_run_phase(i, &lowering, error);
  result = spgc_diagnostics_release(&diagnostics, result, error);
  LLVMDisposeTargetMachine(lowering.machine);
  return result;
}
