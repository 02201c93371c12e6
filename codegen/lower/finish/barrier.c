/* A store of a reference into an object that may be old dirties the field's card, and a copy the
 * cards of its destination. After RS4GC, so that the index is computed from the address at the
 * store. */
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"

#include <llvm-c/Target.h>

#include "codegen/ir/needs_barrier.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

/* A word never spans two cards. Functions with 256 or more barriers get them without branches: LLVM
 * is quadratic in the number of blocks, and took five times as long for 3000 barriers with
 * branches. */
static const char *barrier_of_word(const struct values *writes) {
  enum { BARRIERS_MANY = 256 };
  return writes->count < BARRIERS_MANY ? "spgc.barrier" : "spgc.barrier_straight";
}

/* A vector, array or structure may span two cards. */
static void mark_written(struct lowering *lowering, LLVMValueRef instruction, const char *barrier) {
  struct write write = spgc_write_of(instruction);
  LLVMTypeRef type = LLVMTypeOf(write.value);
  if (spgc_ir_type_is_reference(type)) {
    spgc_prelude_call_after(instruction, barrier, &write.address, 1);
    return;
  }
  uint64_t bytes = LLVMStoreSizeOfType(LLVMGetModuleDataLayout(lowering->module), type);
  LLVMValueRef arguments[] = {write.address, spgc_ir_word(LLVMGetTypeContext(type), bytes)};
  spgc_prelude_call_after(instruction, "spgc.barrier_range", arguments, 2);
}

static bool copies_one_word(LLVMValueRef transfer) {
  LLVMValueRef bytes = LLVMGetOperand(transfer, IR_COPY_LENGTH);
  return LLVMIsAConstantInt(bytes) != NULL && LLVMConstIntGetZExtValue(bytes) == IR_WORD;
}

/* The word may be a number, so its address must not get into a store buffer, whose fields are all
 * references. A scan of its card reads the object's descriptor. */
static void mark_copied(struct lowering *lowering, LLVMValueRef transfer) {
  LLVMValueRef to = LLVMGetOperand(transfer, IR_COPY_DESTINATION);
  if (copies_one_word(transfer)) {
    spgc_prelude_call_after(transfer, "spgc.barrier_straight", &to, 1);
    return;
  }
  LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(lowering->module));
  LLVMPositionBuilderBefore(lowering->builder, transfer);
  LLVMValueRef bytes = LLVMBuildIntCast2(lowering->builder,
                                         LLVMGetOperand(transfer, IR_COPY_LENGTH), i64, false, "");
  spgc_prelude_call_after(transfer, "spgc.barrier_range", (LLVMValueRef[]){to, bytes}, 2);
}

/* All are found before the first barrier is inserted. */
void spgc_insert_barriers(struct lowering *lowering, LLVMValueRef function) {
  struct segments placed = {0};
  struct values writes = {0};
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_field_that_needs_barrier(&placed, instruction) != NULL)
      spgc_values_add(&writes, instruction);
  for (unsigned i = 0; i < writes.count; i++)
    if (spgc_ir_is_memory_transfer(writes.at[i]))
      mark_copied(lowering, writes.at[i]);
    else
      mark_written(lowering, writes.at[i], barrier_of_word(&writes));
  spgc_values_free(&writes);
  spgc_segments_free(&placed);
}
