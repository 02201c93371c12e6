/* Load barriers of another collector (docs/lowering.md, "Load barriers").
 *
 * Invariant: only the barrier uses the loaded word, and no safepoint is between the two, so that
 * statepoints relocate the barrier's result alone.
 *
 * Only the collector knows which words of a copied object are references, so lower/hide/copies.c
 * refuses copies from objects, and lower/hide/aggregate_accesses.c splits loads of structures. */
#include <stdio.h>

#include <llvm-c/DebugInfo.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

/* Calls the barrier, which the optimiser would otherwise remove. */
static const char barrier_name[] = PRELUDE_PREFIX "load_barrier";

static LLVMBasicBlockRef append_block(LLVMValueRef function) {
  return LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(function)), function, "");
}

static LLVMValueRef add_inlined(struct lowering *lowering, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMAddFunction(lowering->module, name, type);
  spgc_ir_add_attribute(function, "alwaysinline");
  spgc_ir_add_string(function, "gc-leaf-function");
  LLVMPositionBuilderAtEnd(lowering->builder, append_block(function));
  LLVMSetCurrentDebugLocation2(lowering->builder, NULL);
  return function;
}

static LLVMValueRef build_call(struct lowering *lowering, LLVMValueRef function,
                               LLVMValueRef *arguments) {
  LLVMValueRef call = LLVMBuildCall2(lowering->builder, LLVMGlobalGetValueType(function), function,
                                     arguments, LLVMCountParams(function), "");
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
  return call;
}

static LLVMValueRef barrier_of(struct lowering *lowering) {
  return LLVMGetNamedFunction(lowering->module, barrier_name);
}

static enum spgc_result refuse(const char *name, const char *problem, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_REJECTED, 0, "function '%s': %s", name, problem);
}

enum spgc_result spgc_take_load_barrier(struct lowering *lowering, struct spgc_error *error) {
  const char *name = lowering->options->load_barrier;
  if (name == NULL)
    return SPGC_OK;
  LLVMContextRef context = LLVMGetModuleContext(lowering->module);
  LLVMTypeRef reference = LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE);
  LLVMTypeRef type = LLVMFunctionType(reference, &reference, 1, false);
  LLVMValueRef own = LLVMGetNamedFunction(lowering->module, name);
  if (own == NULL)
    own = LLVMAddFunction(lowering->module, name, type);
  if (!spgc_ir_name_is(own, name) || LLVMGlobalGetValueType(own) != type)
    return refuse(name,
                  "a load barrier takes and returns a reference; declare it as a function "
                  "ptr addrspace(1) (ptr addrspace(1))",
                  error);
  if (LLVMIsDeclaration(own))
    spgc_ir_add_string(own, "gc-leaf-function");
  if (!spgc_ir_is_marked_leaf(own))
    return refuse(name,
                  "a load barrier is called where no collection can begin; mark it "
                  "\"gc-leaf-function\", and give it no gc attribute",
                  error);
  LLVMValueRef barrier = add_inlined(lowering, barrier_name, type);
  LLVMValueRef loaded = LLVMGetParam(barrier, 0);
  LLVMBuildRet(lowering->builder, build_call(lowering, own, &loaded));
  return SPGC_OK;
}

static LLVMValueRef barrier_of_vector(struct lowering *lowering, LLVMTypeRef type) {
  char name[sizeof barrier_name + 11];
  LLVMBuilderRef builder = lowering->builder;
  snprintf(name, sizeof name, "%s.%u", barrier_name, LLVMGetVectorSize(type));
  LLVMValueRef function = LLVMGetNamedFunction(lowering->module, name);
  if (function != NULL)
    return function;
  function = add_inlined(lowering, name, LLVMFunctionType(type, &type, 1, false));
  LLVMValueRef vector = LLVMGetParam(function, 0);
  for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
    LLVMValueRef place = spgc_ir_word(LLVMGetModuleContext(lowering->module), i);
    LLVMValueRef element = LLVMBuildExtractElement(builder, vector, place, "");
    LLVMValueRef value = build_call(lowering, barrier_of(lowering), &element);
    vector = LLVMBuildInsertElement(builder, vector, value, place, "");
  }
  LLVMBuildRet(builder, vector);
  return function;
}

enum { EXPECTED = 1, OPERANDS = 3 }; /* a cmpxchg has a field, an expected and a new reference */

static LLVMValueRef copy_exchange(LLVMBuilderRef builder, LLVMValueRef exchange,
                                  LLVMValueRef *operands) {
  LLVMValueRef copy = LLVMInstructionClone(exchange);
  LLVMInstructionSetDebugLoc(copy, NULL);
  for (unsigned i = 0; i < OPERANDS; i++)
    LLVMSetOperand(copy, i, operands[i]);
  LLVMInsertIntoBuilder(builder, copy);
  return copy;
}

/* The field may hold an old address of the expected object. A compare-and-swap that failed then
 * would make the program retry for ever. So if the barrier makes the expected reference from the
 * field's word, the operation is repeated with that word. */
static void write_compare_and_swap(struct lowering *lowering, LLVMValueRef function,
                                   LLVMValueRef exchange) {
  LLVMBuilderRef builder = lowering->builder;
  LLVMBasicBlockRef loop = append_block(function), done = append_block(function);
  LLVMValueRef operands[OPERANDS];
  LLVMGetParams(function, operands);
  LLVMValueRef expected = operands[EXPECTED];
  LLVMBuildBr(builder, loop);
  LLVMPositionBuilderAtEnd(builder, loop);
  LLVMValueRef compared = operands[EXPECTED] = LLVMBuildPhi(builder, LLVMTypeOf(expected), "");
  LLVMValueRef swapped = copy_exchange(builder, exchange, operands);
  LLVMValueRef seen = LLVMBuildExtractValue(builder, swapped, 0, "");
  LLVMValueRef value = build_call(lowering, barrier_of(lowering), &seen);
  LLVMValueRef differs = LLVMBuildICmp(builder, LLVMIntNE, seen, compared, "");
  LLVMValueRef is_expected = LLVMBuildICmp(builder, LLVMIntEQ, value, expected, "");
  LLVMBasicBlockRef sources[] = {LLVMGetEntryBasicBlock(function), loop};
  LLVMAddIncoming(compared, (LLVMValueRef[]){expected, seen}, sources, 2);
  LLVMBuildCondBr(builder, LLVMBuildAnd(builder, differs, is_expected, ""), loop, done);
  LLVMPositionBuilderAtEnd(builder, done);
  LLVMBuildRet(builder, LLVMBuildInsertValue(builder, swapped, value, 0, ""));
}

static bool reads_reference_from_heap(LLVMValueRef instruction) {
  bool reads = LLVMIsALoadInst(instruction) != NULL || LLVMIsAAtomicRMWInst(instruction) != NULL ||
               LLVMIsAAtomicCmpXchgInst(instruction) != NULL ||
               spgc_ir_is_intrinsic(instruction, "llvm.masked.load.") ||
               spgc_ir_is_intrinsic(instruction, "llvm.masked.gather.");
  return reads && spgc_ir_type_contains_reference(LLVMTypeOf(instruction)) &&
         spgc_ir_is_any_reference(LLVMGetOperand(instruction, 0));
}

static void follow(struct lowering *lowering, LLVMValueRef load) {
  LLVMTypeRef type = LLVMTypeOf(load);
  spgc_require(!spgc_ir_type_is_aggregate_of_references(type), "a structure is loaded as a whole");
  LLVMValueRef function =
      spgc_ir_is_reference(load) ? barrier_of(lowering) : barrier_of_vector(lowering, type);
  spgc_ir_position_after(lowering->builder, load);
  LLVMValueRef value = build_call(lowering, function, &load);
  LLVMReplaceAllUsesWith(load, value);
  LLVMSetOperand(value, 0, load);
}

static void replace(struct lowering *lowering, LLVMValueRef exchange) {
  LLVMValueRef operands[OPERANDS];
  LLVMTypeRef types[OPERANDS];
  for (unsigned i = 0; i < OPERANDS; i++) {
    operands[i] = LLVMGetOperand(exchange, i);
    types[i] = LLVMTypeOf(operands[i]);
  }
  LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(exchange), types, OPERANDS, false);
  LLVMValueRef function =
      add_inlined(lowering, PRELUDE_PREFIX "load_barrier.compare_and_swap", type);
  write_compare_and_swap(lowering, function, exchange);
  LLVMPositionBuilderBefore(lowering->builder, exchange);
  spgc_ir_replace(exchange, build_call(lowering, function, operands));
}

/* The barrier itself may read the heap as it is. */
void spgc_insert_load_barriers(struct lowering *lowering, LLVMValueRef function) {
  const char *name = lowering->options->load_barrier;
  if (name == NULL || spgc_ir_name_is(function, name) ||
      spgc_ir_name_starts_with(function, barrier_name))
    return;
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (reads_reference_from_heap(instruction)) {
      if (LLVMIsAAtomicCmpXchgInst(instruction) != NULL)
        replace(lowering, instruction);
      else
        follow(lowering, instruction);
    }
}
