/* Makes roots of local variables with references that stay in memory, because their address escapes
 * or an index is computed: each statepoint lists their words that hold references.
 *
 *   %token = call token (...) @llvm.experimental.gc.statepoint.p0(…)
 *       [ "deopt"(…, ptr %variable, i64 RUN, …, i64 COUNT, i64 SPGC_STACKMAP_VARIABLES),
 *         "gc-live"(…) ]
 *
 * The format is in spgc/stackmap_reader.h. The operand tells LLVM that the call may read and write
 * the variable, so no later pass moves a load or store over the call. The function first sets the
 * words to null, because the collector reads them at every safepoint. */
#include "codegen/ir/variable.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/expand/slots.h"
#include "codegen/lower/phases.h"
#include "spgc/stackmap_reader.h"

enum { MOST_STORES = 8, MOST_RUN_WORDS = UINT16_MAX };

struct function_variables {
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef data;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  LLVMValueRef slots;     /* array of slots, or NULL */
  struct values operands; /* listed at every statepoint, after the frontend's own deopt state */
};

static void clear_run(struct function_variables *variables, LLVMValueRef alloca,
                      struct variable_run run) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(variables->context);
  LLVMTypeRef reference = LLVMPointerTypeInContext(variables->context, IR_REFERENCE_ADDRESS_SPACE);
  uint64_t stores = run.words <= MOST_STORES ? run.words : 0;
  for (uint64_t i = 0; i < stores; i++)
    LLVMBuildStore(variables->builder, LLVMConstNull(reference),
                   spgc_ir_build_offset(variables->builder, alloca, run.offset + i * IR_WORD));
  if (stores != 0)
    return;
  LLVMValueRef address = spgc_ir_build_offset(variables->builder, alloca, run.offset);
  LLVMBuildMemSet(variables->builder, address, LLVMConstNull(byte),
                  spgc_ir_word(variables->context, run.words * IR_WORD), IR_WORD);
}

static void clear(struct function_variables *variables, const struct variable *variable) {
  for (size_t i = 0; i < variable->run_count; i++)
    clear_run(variables, variable->alloca, variable->runs[i]);
}

static void prepare(struct function_variables *variables, const struct variable *variable) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(variables->function);
  LLVMValueRef alloca = variable->alloca;
  LLVMInstructionRemoveFromParent(alloca);
  LLVMPositionBuilder(variables->builder, entry, LLVMGetFirstInstruction(entry));
  LLVMInsertIntoBuilder(variables->builder, alloca);
  if (LLVMGetAlignment(alloca) < IR_WORD)
    LLVMSetAlignment(alloca, IR_WORD);
  clear(variables, variable);
}

enum { MOST_CLEARED_WORDS = 256 };

static uint64_t words_of(const struct variable *variable) {
  uint64_t words = 0;
  for (size_t i = 0; i < variable->run_count; i++)
    words += variable->runs[i].words;
  return words;
}

/* The whole variable's life ends before the frame does. Clearing a large variable in a loop would
 * cost more than its stale references do. */
static bool ends_early(LLVMValueRef marker, const struct variable *variable) {
  if (!spgc_ir_is_intrinsic(marker, "llvm.lifetime.end") ||
      spgc_ir_lifetime_pointer(marker) != variable->alloca ||
      words_of(variable) > MOST_CLEARED_WORDS)
    return false;
  LLVMValueRef at = LLVMGetNextInstruction(marker);
  while (LLVMGetNextInstruction(at) != NULL && !spgc_ir_is_safepoint(at))
    at = LLVMGetNextInstruction(at);
  return LLVMIsAReturnInst(at) == NULL;
}

/* A statepoint may read the variable at any time, so LLVM must not reuse its place after its
 * lifetime. Its undefined contents are set to null, which keeps no object alive. */
static void replace_lifetimes(struct function_variables *variables,
                              const struct variable *variable) {
  struct values markers = {0};
  IR_EACH_INSTRUCTION_OF (instruction, variables->function)
    if (spgc_ir_is_intrinsic(instruction, "llvm.lifetime.") &&
        spgc_ir_underlying_alloca(spgc_ir_lifetime_pointer(instruction)) == variable->alloca)
      spgc_values_add(&markers, instruction);
  for (unsigned i = 0; i < markers.count; i++) {
    LLVMPositionBuilderBefore(variables->builder, markers.at[i]);
    if (ends_early(markers.at[i], variable))
      clear(variables, variable);
    LLVMInstructionEraseFromParent(markers.at[i]);
  }
  spgc_values_free(&markers);
}

/* If a loop computes addresses in the variable, LLVM's loop-reduce computes one of them before the
 * loop, and uses it in place of the variable, even in the lists of later statepoints. The stack map
 * would then name a place that holds the variable's address. So all code uses a copy of the
 * address, and LLVM learns only after loop-reduce that it is the same. */
static void part_from_code(struct function_variables *variables, LLVMValueRef alloca) {
  static const char name[] = "llvm.launder.invariant.group";
  LLVMTypeRef type = LLVMTypeOf(alloca);
  LLVMValueRef launder = LLVMGetIntrinsicDeclaration(
      variables->module, LLVMLookupIntrinsicID(name, sizeof name - 1), &type, 1);
  LLVMPositionBuilderBefore(variables->builder, LLVMGetNextInstruction(alloca));
  LLVMValueRef copy =
      LLVMBuildCall2(variables->builder, LLVMGlobalGetValueType(launder), launder, &alloca, 1, "");
  LLVMReplaceAllUsesWith(alloca, copy);
  LLVMSetOperand(copy, 0, alloca);
}

static void add_operands(struct function_variables *variables, const struct variable *variable) {
  spgc_values_add(&variables->operands, variable->alloca);
  for (size_t i = 0; i < variable->run_count; i++) {
    struct variable_run run = variable->runs[i];
    for (uint64_t at = 0; at < run.words; at += MOST_RUN_WORDS) {
      uint64_t rest = run.words - at, words = rest < MOST_RUN_WORDS ? rest : MOST_RUN_WORDS;
      uint64_t code = (run.offset + at * IR_WORD) << SPGC_STACKMAP_RUN_OFFSET_SHIFT | words;
      spgc_values_add(&variables->operands, spgc_ir_word(variables->context, code));
    }
  }
}

static LLVMOperandBundleRef deopt_bundle(const struct function_variables *variables,
                                         LLVMOperandBundleRef own, const struct values *listed) {
  struct values operands = {0};
  for (unsigned i = 0; own != NULL && i < LLVMGetNumOperandBundleArgs(own); i++)
    spgc_values_add(&operands, LLVMGetOperandBundleArgAtIndex(own, i));
  for (unsigned i = 0; i < listed->count; i++)
    spgc_values_add(&operands, listed->at[i]);
  spgc_values_add(&operands, spgc_ir_word(variables->context, listed->count));
  spgc_values_add(&operands, spgc_ir_word(variables->context, SPGC_STACKMAP_VARIABLES));
  static const char tag[] = "deopt";
  LLVMOperandBundleRef bundle =
      LLVMCreateOperandBundle(tag, sizeof tag - 1, operands.at, operands.count);
  spgc_values_free(&operands);
  return bundle;
}

/* A `tail` call promises not to touch its caller's variables. */
static void list_at(const struct function_variables *variables, LLVMValueRef statepoint,
                    const struct values *listed) {
  unsigned count = LLVMGetNumOperandBundles(statepoint), kept = 0;
  LLVMOperandBundleRef *bundles = spgc_zeroed(count + 1, sizeof *bundles), own = NULL;
  for (unsigned i = 0; i < count; i++) {
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(statepoint, i);
    if (spgc_ir_bundle_is(bundle, "deopt"))
      own = bundle;
    else
      bundles[kept++] = bundle;
  }
  bundles[kept++] = deopt_bundle(variables, own, listed);
  if (LLVMIsACallInst(statepoint) != NULL)
    LLVMSetTailCallKind(statepoint, LLVMTailCallKindNone);
  spgc_ir_call_replace(statepoint, bundles, kept);
  for (unsigned i = 0; i < kept; i++)
    LLVMDisposeOperandBundle(bundles[i]);
  if (own != NULL)
    LLVMDisposeOperandBundle(own);
  free((void *)bundles);
}

static void list_everywhere(struct function_variables *variables) {
  struct values statepoints = {0};
  IR_EACH_INSTRUCTION_OF (instruction, variables->function)
    if (spgc_ir_is_statepoint(instruction))
      spgc_values_add(&statepoints, instruction);
  for (unsigned i = 0; i < statepoints.count; i++) {
    struct values listed = {0};
    for (unsigned k = 0; k < variables->operands.count; k++)
      spgc_values_add(&listed, variables->operands.at[k]);
    spgc_slots_list(variables->slots, statepoints.at[i], &listed);
    if (listed.count != 0)
      list_at(variables, statepoints.at[i], &listed);
    spgc_values_free(&listed);
  }
  if (variables->slots != NULL && statepoints.count >= SAFEPOINTS_MANY)
    spgc_slots_hurry(variables->function);
  spgc_values_free(&statepoints);
}

void spgc_list_variables(struct lowering *lowering, LLVMValueRef function) {
  struct function_variables variables = {.module = lowering->module,
                                         .context = LLVMGetModuleContext(lowering->module),
                                         .data = LLVMGetModuleDataLayout(lowering->module),
                                         .builder = lowering->builder,
                                         .function = function};
  struct values allocas = {0};
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (LLVMIsAAllocaInst(instruction) && !spgc_is_slot_array(instruction))
      spgc_values_add(&allocas, instruction);
  for (unsigned i = 0; i < allocas.count; i++) {
    struct variable variable;
    spgc_variable_read(allocas.at[i], variables.data, &variable);
    if (variable.run_count == 0)
      continue;
    prepare(&variables, &variable);
    replace_lifetimes(&variables, &variable);
    if (lowering->options->optimisation != 0)
      part_from_code(&variables, variable.alloca);
    add_operands(&variables, &variable);
  }
  variables.slots = spgc_slot_array(function);
  if (variables.operands.count != 0 || variables.slots != NULL)
    list_everywhere(&variables);
  spgc_values_free(&variables.operands);
  spgc_values_free(&allocas);
}
