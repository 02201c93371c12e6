/* Write barriers: every store of a reference into an object that may be old marks the card of the
 * field.
 *
 * Barriers are inserted after RS4GC, so that the card's index is computed from the field's address
 * at the store. A copy into an object marks the cards of its destination.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"

#include <llvm-c/Target.h>

#include "codegen/ir/segments.h"
#include "codegen/ir/values.h"
#include "codegen/ir/write.h"
#include "codegen/lower/phases.h"

/* ---- Fresh objects: no collection can have aged them ---- */

/* The prelude's load of the cursor: volatile, through the thread's words. No other load of a
 * reference looks so, because a thread-local variable that holds references is rejected. */
static bool is_cursor_load(LLVMValueRef value) {
  if (!LLVMIsALoadInst(value) || !LLVMGetVolatile(value))
    return false;
  return spgc_ir_is_thread_word(LLVMGetOperand(value, 0));
}

enum { STATEPOINT_CALLEE = 2 };

static bool is_slow_allocation(LLVMValueRef value) {
  if (!spgc_ir_is_intrinsic(value, "llvm.experimental.gc.result"))
    return false;
  LLVMValueRef statepoint = LLVMGetOperand(value, 0);
  return spgc_ir_is_statepoint(statepoint) &&
         spgc_ir_name_is(LLVMGetOperand(statepoint, STATEPOINT_CALLEE), "spgc_allocate_slow");
}

/* The two paths of an allocation meet in a phi, and so do allocations whose stores were merged. */
enum { PHI_DEPTH = 3, MOST_INCOMING = 16 };

/* The object is an allocation, or one of several, and no safepoint was reached since. */
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

/* ---- What a write stores ---- */

static bool may_write_object(struct write write) {
  return write.address != NULL && spgc_ir_is_reference(write.address) &&
         spgc_ir_type_contains_reference(LLVMTypeOf(write.value)) &&
         !spgc_ir_is_never_an_object(write.value);
}

/* The field of an object into which the instruction writes a reference, or to which it copies
 * memory, so that the field's card must become dirty; or NULL. No barrier is needed where no
 * reference to an object is written (null, constants of the program, numbers), where the target is
 * no object, and where it is fresh: no path from its allocation to the write has a safepoint, so no
 * collection can have aged it. */
static LLVMValueRef field_that_needs_barrier(struct segments *placed, LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  LLVMValueRef field = may_write_object(write) ? write.address : NULL;
  if (spgc_ir_is_memory_transfer(instruction) &&
      spgc_ir_is_reference(LLVMGetOperand(instruction, 0)) &&
      !spgc_ir_points_to_constant(LLVMGetOperand(instruction, 1)))
    field = LLVMGetOperand(instruction, 0);
  return field != NULL && !is_fresh_target(placed, field, instruction) ? field : NULL;
}

/* ---- Marking ---- */

static LLVMValueRef size_of(LLVMModuleRef module, LLVMTypeRef type) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(module);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
  return LLVMConstInt(i64, LLVMStoreSizeOfType(data, type), false);
}

/* Of one word, which never extends into a second card. From 256 barriers in a function on they have
 * no branches: LLVM's time grows with the square of the number of blocks, and 3000 barriers with
 * branches took it five times as long. */
static const char *barrier_of_word(const struct values *writes) {
  enum { BARRIERS_MANY = 256 };
  return writes->count < BARRIERS_MANY ? "spgc.barrier" : "spgc.barrier_straight";
}

/* A vector, array or structure may extend into a second card. */
static void mark_written(struct lowering *lowering, LLVMValueRef instruction, const char *barrier) {
  struct write write = spgc_write_of(instruction);
  LLVMTypeRef type = LLVMTypeOf(write.value);
  if (spgc_ir_type_is_reference(type)) {
    spgc_prelude_call_after(instruction, barrier, &write.address, 1);
    return;
  }
  LLVMValueRef arguments[] = {write.address, size_of(lowering->module, type)};
  spgc_prelude_call_after(instruction, "spgc.barrier_range", arguments, 2);
}

static bool copies_one_word(LLVMValueRef transfer) {
  LLVMValueRef bytes = LLVMGetOperand(transfer, 2);
  return LLVMIsAConstantInt(bytes) != NULL && LLVMConstIntGetZExtValue(bytes) == sizeof(uint64_t);
}

static void mark_copied(struct lowering *lowering, LLVMValueRef transfer, const char *barrier) {
  LLVMValueRef to = LLVMGetOperand(transfer, 0);
  if (copies_one_word(transfer)) {
    spgc_prelude_call_after(transfer, barrier, &to, 1);
    return;
  }
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(lowering->module));
  LLVMPositionBuilderBefore(lowering->builder, transfer);
  LLVMValueRef bytes =
      LLVMBuildIntCast2(lowering->builder, LLVMGetOperand(transfer, 2), i64, false, "");
  spgc_prelude_call_after(transfer, "spgc.barrier_range", (LLVMValueRef[]){to, bytes}, 2);
}

/* All are found before the first barrier gets in between. */
void spgc_insert_barriers(struct lowering *lowering, LLVMValueRef function) {
  struct segments placed = {0};
  struct values writes = {0};
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (field_that_needs_barrier(&placed, instruction) != NULL)
      spgc_values_add(&writes, instruction);
  for (unsigned i = 0; i < writes.count; i++)
    if (spgc_ir_is_memory_transfer(writes.at[i]))
      mark_copied(lowering, writes.at[i], barrier_of_word(&writes));
    else
      mark_written(lowering, writes.at[i], barrier_of_word(&writes));
  spgc_values_free(&writes);
  spgc_segments_free(&placed);
}
