/* Write barriers: every store of a reference into an object that may be old marks the card of the
 * field.
 *
 * Barriers are inserted after RS4GC, so that the card's index is computed from the field's address
 * at the store. A copy into an object marks the cards of its destination.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"

#include <llvm-c/Target.h>

#include "codegen/ir/needs_barrier.h"
#include "codegen/ir/write.h"
#include "codegen/lower/phases.h"

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

static bool copies_one_word(LLVMValueRef transfer) {
  LLVMValueRef bytes = LLVMGetOperand(transfer, 2);
  return LLVMIsAConstantInt(bytes) != NULL && LLVMConstIntGetZExtValue(bytes) == sizeof(uint64_t);
}

/* A word never extends into a second card. */
static void mark_copied(LLVMModuleRef module, LLVMValueRef transfer) {
  LLVMValueRef to = LLVMGetOperand(transfer, 0);
  if (copies_one_word(transfer)) {
    spgc_prelude_call_after(transfer, "spgc.barrier", &to, 1);
    return;
  }
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  LLVMPositionBuilderBefore(builder, transfer);
  LLVMValueRef bytes = LLVMBuildIntCast2(builder, LLVMGetOperand(transfer, 2), i64, false, "");
  LLVMValueRef arguments[] = {to, bytes};
  spgc_prelude_call_after(transfer, "spgc.barrier_range", arguments, 2);
  LLVMDisposeBuilder(builder);
}

static void insert_barrier(struct lowering *lowering, struct safepoints *placed,
                           LLVMValueRef instruction) {
  if (spgc_field_that_needs_barrier(placed, instruction) == NULL)
    return;
  if (spgc_ir_is_memory_transfer(instruction))
    mark_copied(lowering->module, instruction);
  else
    mark_written(lowering, instruction, spgc_write_of(instruction));
}

enum spgc_result spgc_insert_barriers(struct lowering *lowering, struct spgc_error *error) {
  struct safepoints placed = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        insert_barrier(lowering, &placed, instruction);
      }
  spgc_safepoints_free(&placed);
  return SPGC_OK;
}
