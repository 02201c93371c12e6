/* Write barriers: every store of a reference into an object marks the card of the field.
 *
 * Barriers are inserted after RS4GC, so that the card's index is computed from the field's address
 * at the store. Copies are noted before the optimiser runs, because it may turn a short one into
 * loads and stores of integers. The notes, calls of a leaf function that the optimiser does not
 * know, become barriers with the rest. So do notes of stores of integers that may be references.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"

#include <string.h>

#include <llvm-c/Target.h>

#include "codegen/check/check.h"
#include "codegen/ir/freshness.h"
#include "codegen/ir/write.h"
#include "support/fatal.h"

static const char copy_note[] = PRELUDE_PREFIX "copied";

static LLVMTypeRef note_type(LLVMContextRef context) {
  LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE),
                              LLVMInt64TypeInContext(context)};
  return LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 2, false);
}

static LLVMValueRef note_function(LLVMModuleRef module) {
  return spgc_note_function(module, copy_note, note_type(LLVMGetModuleContext(module)));
}

/* Bytes of a constant of the program contain no reference to an object. */
static bool copies_constant(LLVMValueRef transfer) {
  LLVMValueRef source = spgc_ir_underlying_object(LLVMGetOperand(transfer, 1));
  return LLVMIsAGlobalVariable(source) != NULL && LLVMIsGlobalConstant(source);
}

static bool copies_into_objects(LLVMValueRef instruction) {
  return spgc_ir_is_memory_transfer(instruction) &&
         spgc_ir_is_reference(LLVMGetOperand(instruction, 0)) && !copies_constant(instruction);
}

/* Calls `function` with the destination and the length of a copy, right after it. */
static void call_with_range(LLVMValueRef transfer, LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(transfer));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(transfer));
  LLVMValueRef bytes = LLVMBuildIntCast2(builder, LLVMGetOperand(transfer, 2),
                                         LLVMInt64TypeInContext(context), false, "");
  LLVMValueRef arguments[] = {LLVMGetOperand(transfer, 0), bytes};
  LLVMBuildCall2(builder, note_type(context), function, arguments, 2, "");
  LLVMDisposeBuilder(builder);
}

enum spgc_result spgc_note_copies(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (copies_into_objects(instruction))
          call_with_range(instruction, note_function(lowering->module));
  return SPGC_OK;
}

static bool is_note(LLVMValueRef instruction) {
  return instruction != NULL && LLVMIsACallInst(instruction) &&
         spgc_ir_callee(instruction) != NULL &&
         spgc_ir_name_is(spgc_ir_callee(instruction), copy_note);
}

/* `address` is NULL if the instruction writes no reference into an object. */
static struct write reference_write_of(LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  if (write.address != NULL && !(spgc_ir_is_reference(write.address) &&
                                 spgc_ir_type_contains_reference(LLVMTypeOf(write.value))))
    write = (struct write){0};
  return write;
}

static LLVMValueRef size_of(LLVMModuleRef module, LLVMTypeRef type) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(module);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
  return LLVMConstInt(i64, LLVMStoreSizeOfType(data, type), false);
}

/* A vector, array or structure may extend into a second card. */
static void mark_written(struct lowering *lowering, LLVMValueRef instruction, struct write write) {
  LLVMTypeRef type = LLVMTypeOf(write.value);
  if (spgc_ir_type_is_reference(type)) {
    spgc_prelude_call_after(instruction, "spgc.barrier", &write.address, 1);
    return;
  }
  LLVMValueRef arguments[] = {write.address, size_of(lowering->module, type)};
  spgc_prelude_call_after(instruction, "spgc.barrier_range", arguments, 2);
}

static const struct objection scattered_integers = {
    45,
    "a scatter stores integers that may be references, and there is no write barrier for scatters",
    "store references as references, or optimise less"};
static const struct objection through_ordinary_pointer = {
    8,
    "a reference is stored through an ordinary pointer that was made from a reference, so that no "
    "card is marked",
    "keep the address in addrspace(1) (in C, do not cast it to a plain pointer or an integer)"};

/* True for an ordinary pointer that is the address of a field. */
static bool leads_into_object(LLVMValueRef address) {
  if (!LLVMIsAInstruction(address) || LLVMGetTypeKind(LLVMTypeOf(address)) != LLVMPointerTypeKind ||
      spgc_ir_is_reference(address))
    return false;
  LLVMValueRef object = spgc_ir_underlying_object(address);
  return LLVMIsAIntToPtrInst(object) &&
         spgc_write_origin(LLVMGetOperand(object, 0)) == ORIGIN_REFERENCE;
}

static const struct objection *check_write(LLVMValueRef instruction, struct write write) {
  if (spgc_ir_is_intrinsic(instruction, "llvm.masked.scatter.") &&
      spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetOperand(instruction, 1))) &&
      spgc_write_origin(LLVMGetOperand(instruction, 0)) != ORIGIN_NUMBER)
    return &scattered_integers;
  if (spgc_ir_is_memory_transfer(instruction) && leads_into_object(LLVMGetOperand(instruction, 0)))
    return &through_ordinary_pointer;
  if (write.address == NULL || !leads_into_object(write.address))
    return NULL;
  bool reference = spgc_ir_type_contains_reference(LLVMTypeOf(write.value)) ||
                   spgc_write_origin(write.value) == ORIGIN_REFERENCE;
  return reference ? &through_ordinary_pointer : NULL;
}

static bool stores_integer_reference(struct write write) {
  return write.address != NULL && spgc_ir_is_reference(write.address) &&
         !spgc_ir_type_contains_reference(LLVMTypeOf(write.value)) &&
         spgc_write_origin(write.value) != ORIGIN_NUMBER;
}

static void note_write(LLVMModuleRef module, LLVMValueRef instruction, struct write write) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(instruction));
  LLVMValueRef arguments[] = {write.address, size_of(module, LLVMTypeOf(write.value))};
  LLVMBuildCall2(builder, note_type(context), note_function(module), arguments, 2, "");
  LLVMDisposeBuilder(builder);
}

/* Integers that may be references are judged late, when only statepoints are still to be inserted,
 * but before statepoints, while calls still name their arguments and results. */
enum spgc_result spgc_note_integers(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block) {
        struct write write = spgc_write_of(instruction);
        const struct objection *objection = check_write(instruction, write);
        if (objection != NULL && spgc_reject_instruction(instruction, objection, error) != SPGC_OK)
          return SPGC_ERROR_REJECTED;
        if (stores_integer_reference(write))
          note_write(lowering->module, instruction, write);
      }
  return SPGC_OK;
}

/* True for a note of one word, which never extends into a second card. */
static bool notes_word(LLVMValueRef note) {
  LLVMValueRef bytes = LLVMGetOperand(note, 1);
  return LLVMIsAConstantInt(bytes) != NULL && LLVMConstIntGetZExtValue(bytes) == sizeof(uint64_t);
}

static void expand_note(LLVMValueRef note) {
  LLVMValueRef address = LLVMGetOperand(note, 0);
  bool is_fresh = spgc_is_fresh_target(address, note);
  if (!is_fresh && !notes_word(note)) {
    spgc_prelude_redirect(note, "spgc.barrier_range");
    return;
  }
  if (!is_fresh)
    spgc_prelude_call_after(note, "spgc.barrier", &address, 1);
  LLVMInstructionEraseFromParent(note);
}

static void insert_barrier(struct lowering *lowering, LLVMValueRef instruction) {
  struct write write = reference_write_of(instruction);
  if (is_note(instruction)) {
    expand_note(instruction);
  } else if (copies_into_objects(instruction)) {
    if (!is_note(LLVMGetNextInstruction(instruction)) &&
        !spgc_is_fresh_target(LLVMGetOperand(instruction, 0), instruction))
      call_with_range(instruction, LLVMGetNamedFunction(lowering->module, "spgc.barrier_range"));
  } else if (write.address != NULL && !spgc_ir_is_never_an_object(write.value) &&
             !spgc_is_fresh_target(write.address, instruction)) {
    mark_written(lowering, instruction, write);
  }
}

enum spgc_result spgc_insert_barriers(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        insert_barrier(lowering, instruction);
      }
  return SPGC_OK;
}
