#include "codegen/ir/needs_barrier.h"

#include "codegen/ir/ir.h"
#include "spgc/thread.h"

/* Thread-local variables that hold references are rejected, and nothing is stored at the other
 * reference among the thread's words, the limit. */
static bool is_cursor_load(LLVMValueRef value) {
  return LLVMIsALoadInst(value) && spgc_ir_is_thread_word(LLVMGetOperand(value, 0));
}

/* Operands of a statepoint that calls spgc_allocate_slow. */
enum { STATEPOINT_CALLEE = 2, ALLOCATED_LENGTH = 6 };

/* A longer array may be large. Collections read only the dirty cards of large objects. */
static bool is_slow_allocation(LLVMValueRef value) {
  if (!spgc_ir_is_intrinsic(value, "llvm.experimental.gc.result"))
    return false;
  LLVMValueRef statepoint = LLVMGetOperand(value, 0);
  if (!spgc_ir_is_statepoint(statepoint) ||
      !spgc_ir_name_is(LLVMGetOperand(statepoint, STATEPOINT_CALLEE), "spgc_allocate_slow"))
    return false;
  LLVMValueRef length = LLVMGetOperand(statepoint, ALLOCATED_LENGTH);
  return LLVMIsAConstantInt(length) && LLVMConstIntGetZExtValue(length) <= SPGC_MOST_FRESH_ELEMENTS;
}

/* The two paths of an allocation meet in a phi, and so do allocations with merged stores. */
enum { PHI_DEPTH = 3, MOST_INCOMING = 16 };

static bool is_fresh(struct segments *placed, LLVMValueRef object, LLVMValueRef use,
                     unsigned depth) {
  bool is_phi = LLVMIsAPHINode(object) != NULL;
  if ((!is_phi && !is_cursor_load(object) && !is_slow_allocation(object)) || depth > PHI_DEPTH ||
      spgc_ir_is_statepoint(use) || spgc_safepoint_lies_between(placed, object, use))
    return false;
  if (is_phi && LLVMCountIncoming(object) > MOST_INCOMING)
    return false;
  for (unsigned i = 0; is_phi && i < LLVMCountIncoming(object); i++)
    if (!is_fresh(placed, LLVMGetIncomingValue(object, i),
                  LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(object, i)), depth + 1))
      return false;
  return true;
}

static bool is_fresh_target(struct segments *placed, LLVMValueRef address, LLVMValueRef use) {
  spgc_segments_read(placed, spgc_ir_function_of(use), SAFEPOINTS_PLACED);
  return is_fresh(placed, spgc_ir_underlying_object(address), use, 0);
}

static bool may_write_object(struct write write) {
  return write.address != NULL && spgc_ir_is_reference(write.address) &&
         spgc_ir_type_contains_reference(LLVMTypeOf(write.value)) &&
         !spgc_ir_is_never_an_object(write.value);
}

/* Its inlined barrier marks no card. */
static bool copies_nothing(LLVMValueRef transfer) {
  LLVMValueRef length = LLVMIsAConstantInt(LLVMGetOperand(transfer, 2));
  return length != NULL && LLVMConstIntGetZExtValue(length) == 0;
}

LLVMValueRef spgc_field_that_needs_barrier(struct segments *placed, LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  LLVMValueRef field = may_write_object(write) ? write.address : NULL;
  if (spgc_ir_is_memory_transfer(instruction) &&
      spgc_ir_is_reference(LLVMGetOperand(instruction, 0)) &&
      !spgc_ir_points_to_constant(LLVMGetOperand(instruction, 1)) && !copies_nothing(instruction))
    field = LLVMGetOperand(instruction, 0);
  return field != NULL && !is_fresh_target(placed, field, instruction) ? field : NULL;
}
