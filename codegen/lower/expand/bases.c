/* RS4GC looks for the object that a reference points into. It treats an unknown instruction as a
 * choice, like a phi, and adds a second one that chooses among the objects. After this phase, none
 * of these is live across a safepoint:
 * - Exchanges: the second one would exchange the object's header. A mark says that a result from
 *   memory is an object's own address.
 * - Vectors of references from numbers or structures: LLVM would crash, and has no such mark for
 *   vectors. They too consist of objects' own addresses, so they pass through an unknown function,
 *   whose result counts as a base, until statepoints are inserted.
 * - Casts between a reference and a vector of one become insertions and extractions.
 *
 * For each safepoint that a choice is live across, RS4GC follows all its operands again: a function
 * with a thousand handlers took half a minute. So choices among objects' own addresses also have
 * the mark. */
#include <stdio.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

static const char base_of[] = PRELUDE_PREFIX "base_of.";

static const char is_base[] = "is_base_value";

static LLVMValueRef call_base_of(LLVMModuleRef module, LLVMBuilderRef builder,
                                 LLVMValueRef vector) {
  char name[sizeof base_of + 10];
  LLVMTypeRef type = LLVMTypeOf(vector);
  snprintf(name, sizeof name, "%s%u", base_of, LLVMGetVectorSize(type));
  LLVMTypeRef function_type = LLVMFunctionType(type, &type, 1, false);
  LLVMValueRef function = spgc_note_function(module, name, function_type);
  return LLVMBuildCall2(builder, function_type, function, &vector, 1, "");
}

static void give_by_call(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef vector) {
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(vector));
  LLVMValueRef call = call_base_of(module, builder, vector);
  LLVMReplaceAllUsesWith(vector, call);
  LLVMSetOperand(call, 0, vector);
}

static bool is_vector(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static bool changes_form(LLVMValueRef cast) {
  return LLVMIsABitCastInst(cast) != NULL && spgc_ir_is_any_reference(cast) &&
         is_vector(LLVMTypeOf(cast)) != is_vector(LLVMTypeOf(LLVMGetOperand(cast, 0)));
}

static void take_element(LLVMBuilderRef builder, LLVMValueRef cast) {
  LLVMTypeRef type = LLVMTypeOf(cast);
  LLVMValueRef operand = LLVMGetOperand(cast, 0);
  LLVMValueRef first = LLVMConstNull(LLVMInt32TypeInContext(LLVMGetTypeContext(type)));
  LLVMPositionBuilderBefore(builder, cast);
  LLVMValueRef same = is_vector(type)
                          ? LLVMBuildInsertElement(builder, LLVMConstNull(type), operand, first, "")
                          : LLVMBuildExtractElement(builder, operand, first, "");
  spgc_ir_replace(cast, same);
}

static void show_base(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef instruction) {
  bool vector = spgc_ir_type_is_reference_vector(LLVMTypeOf(instruction));
  if (LLVMIsAAtomicRMWInst(instruction) && spgc_ir_is_reference(instruction))
    spgc_ir_mark(instruction, is_base);
  else if (vector && (LLVMIsAIntToPtrInst(instruction) || LLVMIsAExtractValueInst(instruction)))
    give_by_call(module, builder, instruction);
  else if (changes_form(instruction))
    take_element(builder, instruction);
}

static bool is_choice(LLVMValueRef value) {
  return LLVMIsAPHINode(value) != NULL || LLVMIsASelectInst(value) != NULL;
}

/* The value is an object's own address if its operands are. */
static bool passes_on(LLVMValueRef value) {
  return is_choice(value) || LLVMIsAFreezeInst(value) != NULL ||
         LLVMIsABitCastInst(value) != NULL ||
         (LLVMIsAGetElementPtrInst(value) != NULL && spgc_ir_arithmetic_keeps_base(value));
}

static void find_others(LLVMValueRef function, struct values *others) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_reference(instruction) && !passes_on(instruction) &&
        !spgc_ir_gives_object(instruction))
      spgc_values_add(others, instruction);
  for (unsigned i = 0; i < others->count; i++)
    IR_EACH_USER (user, others->at[i]) {
      if (LLVMIsAInstruction(user) != NULL && spgc_ir_is_reference(user) && passes_on(user))
        spgc_values_add_new(others, user);
    }
}

void spgc_show_bases(struct lowering *lowering, LLVMValueRef function) {
  struct values others = {0};
  IR_EACH_INSTRUCTION_OF (instruction, function)
    show_base(lowering->module, lowering->builder, instruction);
  find_others(function, &others);
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (is_choice(instruction) && spgc_ir_is_reference(instruction) &&
        !spgc_values_contain(&others, instruction))
      spgc_ir_mark(instruction, is_base);
  spgc_values_free(&others);
}

static void remove_calls(LLVMValueRef function) {
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;) {
    LLVMValueRef call = LLVMGetUser(use);
    spgc_ir_replace(call, LLVMGetOperand(call, 0));
  }
}

enum spgc_result spgc_forget_bases(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module) {
    IR_EACH_INSTRUCTION_OF (instruction, function)
      spgc_ir_unmark(instruction, is_base);
    if (spgc_ir_name_starts_with(function, base_of)) {
      remove_calls(function);
      LLVMDeleteFunction(function);
    }
  }
  return SPGC_OK;
}
