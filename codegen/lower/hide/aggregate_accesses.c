/* Splits accesses to structures and arrays with references, because the optimiser turns copies into
 * accesses of integers. A part without references stays whole. */
#include "codegen/ir/aggregate.h"
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

struct access {
  LLVMBuilderRef builder;
  LLVMTargetDataRef data;
  LLVMValueRef instruction, address;
};

static LLVMValueRef address_at(const struct access *access, uint64_t offset) {
  return spgc_ir_build_offset(access->builder, access->address, offset);
}

/* As volatile as the whole, and as aligned as its offset permits. */
static void describe(const struct access *access, LLVMValueRef part, uint64_t offset) {
  unsigned alignment = LLVMGetAlignment(access->instruction);
  uint64_t of_offset = offset & (0 - offset);
  LLVMSetVolatile(part, LLVMGetVolatile(access->instruction));
  LLVMSetAlignment(part, offset != 0 && of_offset < alignment ? (unsigned)of_offset : alignment);
}

static LLVMValueRef load_at(const struct access *access, LLVMTypeRef type, uint64_t offset) {
  if (!spgc_ir_type_is_aggregate_of_references(type)) {
    LLVMValueRef part = LLVMBuildLoad2(access->builder, type, address_at(access, offset), "");
    describe(access, part, offset);
    return part;
  }
  LLVMValueRef whole = LLVMGetPoison(type);
  for (unsigned i = 0; i < spgc_aggregate_count(type); i++)
    whole = LLVMBuildInsertValue(access->builder, whole,
                                 load_at(access, spgc_aggregate_part(type, i),
                                         offset + spgc_aggregate_offset(access->data, type, i)),
                                 i, "");
  return whole;
}

static void store_at(const struct access *access, LLVMValueRef value, uint64_t offset) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (!spgc_ir_type_is_aggregate_of_references(type)) {
    describe(access, LLVMBuildStore(access->builder, value, address_at(access, offset)), offset);
    return;
  }
  for (unsigned i = 0; i < spgc_aggregate_count(type); i++)
    store_at(access, LLVMBuildExtractValue(access->builder, value, i, ""),
             offset + spgc_aggregate_offset(access->data, type, i));
}

static void split(struct lowering *lowering, LLVMValueRef instruction) {
  bool store = LLVMIsAStoreInst(instruction) != NULL;
  struct access access = {.builder = lowering->builder,
                          .data = LLVMGetModuleDataLayout(lowering->module),
                          .instruction = instruction,
                          .address = spgc_ir_address_accessed(instruction)};
  LLVMPositionBuilderBefore(lowering->builder, instruction);
  if (store)
    store_at(&access, LLVMGetOperand(instruction, 0), 0);
  else
    LLVMReplaceAllUsesWith(instruction, load_at(&access, LLVMTypeOf(instruction), 0));
  LLVMInstructionEraseFromParent(instruction);
}

static bool is_load(LLVMValueRef instruction) {
  return LLVMIsALoadInst(instruction) &&
         spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(instruction));
}

static bool is_store(LLVMValueRef instruction) {
  return LLVMIsAStoreInst(instruction) &&
         spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
}

static void split_all(struct lowering *lowering, bool (*is_wanted)(LLVMValueRef instruction)) {
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_INSTRUCTION_OF (instruction, function)
      if (is_wanted(instruction))
        split(lowering, instruction);
}

/* Loads come first, because stores store their parts. Functions without gc are treated alike,
 * because they may be inlined. */
enum spgc_result spgc_split_aggregate_accesses(struct lowering *lowering,
                                               struct spgc_error *error) {
  split_all(lowering, is_load);
  split_all(lowering, is_store);
  return SPGC_OK;
}
