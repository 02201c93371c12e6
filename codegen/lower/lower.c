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

static void let_optimise(struct lowering *lowering, LLVMValueRef function) {
  if (spgc_ir_function_is_managed(function) || spgc_ir_function_uses_references(function))
    spgc_ir_remove_attribute(function, "optnone");
}

/* The level must not decide which IR is legal, so functions that ask for it are inlined at every
 * level. Calls through pointers whose functions only promotion shows wait for the later
 * inlining. */
static const char inline_always[] = "always-inline,function(mem2reg)";

/* Functions that use references are promoted at every level, before variables that stay in memory
 * are checked. clang's -finstrument-functions becomes ordinary calls, and so statepoints; code
 * generation would add calls without. Inlined functions are not instrumented, because the calls
 * would take their addresses. */
static const char promote[] = "function(ee-instrument),function(sroa)";

/* It calls itself, or its address is taken. */
static void keep_function(struct lowering *lowering, LLVMValueRef function) {
  if (spgc_ir_function_vanishes(function))
    spgc_ir_remove_attribute(function, "alwaysinline");
}

/* The next phases see one form of recursive functions, and count only remaining instructions. */
static enum spgc_result simplify_recursion(struct lowering *lowering, struct spgc_error *error) {
  if (spgc_inlines_recursion(lowering))
    spgc_run_passes(lowering,
                    "function(early-cse,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg)");
  return SPGC_OK;
}

/* Coroutines without references are compiled at every level. */
#define COROUTINES "coro-cond(coro-early,cgscc(coro-split),coro-cleanup,globaldce),"

/* Passes worth a waiting program's time (docs/lowering.md, "Optimisation"). */
static const char short_pipeline[] =
    "always-inline," COROUTINES
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm,simple-loop-unswitch),early-cse<memssa>,simplifycfg,adce)";

static enum spgc_result optimise(struct lowering *lowering, struct spgc_error *error) {
  static const char *const pipelines[] = {"function(early-cse),always-inline," COROUTINES
                                          "function(sroa)",
                                          short_pipeline, "default<O2>", "default<O3>"};
  spgc_run_passes(lowering, pipelines[lowering->options->optimisation]);
  return SPGC_OK;
}

/* Constant descriptors fold into sizes, and zeroing is removed if the frontend's own stores cover
 * it. Polls are in place, so every store that a collection at a poll would read stays. */
static const char simplify_expanded[] =
    "function(early-cse<memssa>,lower-constant-intrinsics,simplifycfg,"
    "instcombine<no-verify-fixpoint>,dse,simplifycfg)";

/* RS4GC also relocates the arguments of a call that nobody uses after it. LLVM would keep and
 * describe a slot for each. It describes the references of "deopt" state even if nothing relocates
 * them, but not its vectors of references. */
static void drop_unused_relocation(struct lowering *lowering, LLVMValueRef instruction) {
  if (LLVMGetFirstUse(instruction) == NULL && spgc_ir_is_reference(instruction) &&
      spgc_ir_is_intrinsic(instruction, "llvm.experimental.gc.relocate."))
    LLVMInstructionEraseFromParent(instruction);
}

/* No later pass may compute a card's index on one side of a safepoint and use it on the other. */
static const char expand_barriers[] = "always-inline";

enum scope { MODULE, FUNCTIONS, MANAGED_FUNCTIONS, INSTRUCTIONS, INSTRUCTIONS_OF_MANAGED };

/* A phase on the module, or on each value of a scope; passes of LLVM; or a rule for each
 * instruction. Own phases are omitted for another collector. */
struct phase {
  lowering_phase *whole;
  const char *passes;
  enum scope scope;
  value_phase *each;
  check_rule *rule;
  bool is_own;
};
#define WHOLE(phase) {.whole = phase}
#define PASSES(pipeline) {.passes = pipeline}
#define EACH_OF(values, phase) {.scope = values, .each = phase}
#define CHECK(check) {.rule = check}
#define OWN_CHECK(check) {.rule = check, .is_own = true}
#define OWN_WHOLE(phase) {.whole = phase, .is_own = true}
#define OWN_EACH_OF(values, phase) {.scope = values, .each = phase, .is_own = true}

enum { MOST_PHASES = 16 + 1, MOST_CHECKS = 4 + 1 }; /* one more, for the empty one at the end */

static const struct stage {
  const char *name;
  struct phase phases[MOST_PHASES];
  struct phase checks[MOST_CHECKS];
} stages[] = {
    {"read",
     {EACH_OF(FUNCTIONS, spgc_empty_unreachable_blocks), WHOLE(spgc_drop_unused_intrinsics),
      EACH_OF(INSTRUCTIONS, spgc_normalise), WHOLE(spgc_take_polls), WHOLE(spgc_take_load_barrier),
      CHECK(spgc_check_descriptor), WHOLE(spgc_declare_runtime),
      EACH_OF(INSTRUCTIONS, spgc_keep_library_calls), WHOLE(spgc_clamp_alignments),
      WHOLE(spgc_keep_leaf_loops), EACH_OF(FUNCTIONS, let_optimise), PASSES(inline_always)},
     {CHECK(spgc_check_places), OWN_CHECK(spgc_check_transition)}},
    {"promote",
     {PASSES(promote), EACH_OF(FUNCTIONS, keep_function)},
     {WHOLE(spgc_check_variables), CHECK(spgc_check_places), CHECK(spgc_check_bits),
      CHECK(spgc_check_field_store)}},
    {"hide",
     {WHOLE(spgc_split_aggregate_accesses), WHOLE(spgc_check_numbers), WHOLE(spgc_hide_copies),
      WHOLE(spgc_hide_addresses), WHOLE(spgc_claim_safepoints)},
     {WHOLE(spgc_verify_typed), WHOLE(spgc_note_casts)}},
    {"optimise",
     {WHOLE(spgc_keep_apart), WHOLE(simplify_recursion), WHOLE(spgc_inline_recursion),
      EACH_OF(INSTRUCTIONS, spgc_keep_tail_results), WHOLE(spgc_read_roots), WHOLE(optimise),
      WHOLE(spgc_forget_reader), PASSES("function(ee-instrument<post-inline>)"),
      EACH_OF(FUNCTIONS, spgc_release_tail_results), WHOLE(spgc_end_inlining),
      EACH_OF(MANAGED_FUNCTIONS, spgc_gather_allocas), WHOLE(spgc_forget_memory_effects)},
     {WHOLE(spgc_verify_typed), WHOLE(spgc_verify_casts)}},
    {"expand",
     {OWN_WHOLE(spgc_prelude_link), WHOLE(spgc_place_polls), WHOLE(spgc_inline_leaf_loops),
      OWN_EACH_OF(INSTRUCTIONS, spgc_expand_runtime_calls), PASSES("always-inline"),
      EACH_OF(FUNCTIONS, spgc_skip_simplification), PASSES(simplify_expanded),
      EACH_OF(FUNCTIONS, spgc_end_skipping), EACH_OF(INSTRUCTIONS_OF_MANAGED, spgc_name_leaf_calls),
      WHOLE(spgc_give_leaf_entries), WHOLE(spgc_part_invokes), WHOLE(spgc_take_aggregates_apart),
      WHOLE(spgc_show_copies), EACH_OF(INSTRUCTIONS, spgc_define_references),
      EACH_OF(MANAGED_FUNCTIONS, spgc_show_bases), OWN_EACH_OF(MANAGED_FUNCTIONS, spgc_give_slots)},
     {WHOLE(spgc_check_before_statepoints), WHOLE(spgc_verify_defined)}},
    {"statepoints",
     {EACH_OF(MANAGED_FUNCTIONS, spgc_cut_long_blocks), PASSES("rewrite-statepoints-for-gc")},
     {WHOLE(spgc_check_relocated)}},
    {"finish",
     {EACH_OF(INSTRUCTIONS_OF_MANAGED, drop_unused_relocation), WHOLE(spgc_forget_bases),
      WHOLE(spgc_show_addresses), EACH_OF(INSTRUCTIONS, spgc_part_operands),
      EACH_OF(MANAGED_FUNCTIONS, spgc_list_variables), OWN_EACH_OF(FUNCTIONS, spgc_insert_barriers),
      EACH_OF(FUNCTIONS, spgc_insert_load_barriers), OWN_WHOLE(spgc_describe_module),
      WHOLE(spgc_place_constructors), WHOLE(spgc_leave_comdats), PASSES(expand_barriers),
      WHOLE(spgc_prelude_unlink), EACH_OF(FUNCTIONS, spgc_demand_unwind_tables)},
     {WHOLE(spgc_verify_form), OWN_WHOLE(spgc_verify_barriers), CHECK(spgc_check_lowered_call)}},
};

enum { STAGES = sizeof stages / sizeof *stages };

/* The refusals of these stages quote new values, so they have names even if the caller wants none
 * of the others. */
enum { STAGES_WITH_NAMES = 3 };

static enum spgc_result run_phase(const struct phase *phase, struct lowering *lowering,
                                  struct spgc_error *error) {
  if (phase->is_own && spgc_is_foreign(lowering))
    return SPGC_OK;
  if (phase->whole != NULL)
    return phase->whole(lowering, error);
  if (phase->rule != NULL)
    return spgc_check_each(lowering->module, phase->rule, error);
  if (phase->passes != NULL) {
    spgc_run_passes(lowering, phase->passes);
    return SPGC_OK;
  }
  bool all = phase->scope == FUNCTIONS || phase->scope == INSTRUCTIONS;
  IR_EACH_FUNCTION (function, lowering->module) {
    if (LLVMIsDeclaration(function) || !(all || spgc_ir_function_is_managed(function)))
      continue;
    if (phase->scope <= MANAGED_FUNCTIONS)
      phase->each(lowering, function);
    else
      IR_EACH_INSTRUCTION_OF (instruction, function)
        phase->each(lowering, instruction);
  }
  return SPGC_OK;
}

static bool is_phase(const struct phase *phase) {
  return phase->whole != NULL || phase->passes != NULL || phase->each != NULL ||
         phase->rule != NULL;
}

static enum spgc_result verify(const struct stage *stage, struct lowering *lowering,
                               struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (const struct phase *check = stage->checks; result == SPGC_OK && is_phase(check); check++)
    result = run_phase(check, lowering, error);
  return result == SPGC_OK && lowering->options->verify_each ? spgc_verify_form(lowering, error)
                                                             : result;
}

static bool is_last(const struct stage *stage, const char *name) {
  return name != NULL && strcmp(stage->name, name) == 0;
}

static enum spgc_result check_last_stage(const char *name, struct spgc_error *error) {
  for (const struct stage *stage = stages; stage < stages + STAGES; stage++)
    if (name == NULL || is_last(stage, name))
      return SPGC_OK;
  return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                        "the lowering has no stage '%s': see docs/lowering.md", name);
}

enum spgc_result spgc_run_stages(struct lowering *lowering, lowering_goes_on *goes_on,
                                 void *context, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  bool continues = true;
  LLVMContextRef llvm = LLVMGetModuleContext(lowering->module);
  LLVMBool discards_names = LLVMContextShouldDiscardValueNames(llvm);
  lowering->builder = LLVMCreateBuilderInContext(llvm);
  for (const struct stage *stage = stages; continues && stage < stages + STAGES; stage++) {
    lowering->stage = stage->name;
    LLVMContextSetDiscardValueNames(llvm, discards_names && stage >= stages + STAGES_WITH_NAMES);
    for (const struct phase *phase = stage->phases; continues && is_phase(phase); phase++) {
      result = run_phase(phase, lowering, error);
      continues = goes_on(context, result, error);
    }
    if (!continues)
      break;
    result = verify(stage, lowering, error);
    continues = goes_on(context, result, error) && !is_last(stage, lowering->options->last_stage);
  }
  LLVMDisposeBuilder(lowering->builder);
  LLVMContextSetDiscardValueNames(llvm, discards_names);
  return result;
}

static bool is_ok(void *unused, enum spgc_result result, const struct spgc_error *error) {
  return result == SPGC_OK;
}

/* The target's processor, which the module need not name. A refused module stays as it was. */
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
  spgc_require_use(module != NULL, "no module is given");
  enum spgc_result result = spgc_lower_options_read(&known, options, "spgc_lower_module", error);
  if (result == SPGC_OK)
    result = spgc_check_barriers(&known, error);
  if (result == SPGC_OK)
    result = check_last_stage(known.last_stage, error);
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
    if (result == SPGC_OK && known.last_stage == NULL)
      spgc_mark_lowered(module);
  }
  if (lowering.machine != NULL)
    LLVMDisposeTargetMachine(lowering.machine);
  return result;
}
