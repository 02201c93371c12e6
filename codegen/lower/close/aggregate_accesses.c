/* Loads and stores of structures and arrays with references become ones of their parts, because the
 * optimiser makes a copy of memory of a load and a store, and integers of a short copy. A part
 * without references stays whole. */
#include "codegen/check/reject.h"
#include "codegen/ir/aggregate.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"

struct access {
  LLVMBuilderRef builder;
  LLVMTargetDataRef data;
  LLVMValueRef instruction, address;
};

enum { MOST_PARTS = 1024 };

static const struct objection too_many_parts = {
    17, "a structure or array value with references has too many parts to be accessed one by one",
    "copy the memory (llvm.memcpy), or load and store the parts"};

/* Those with references, and what lies between them. */
static uint64_t count_parts(LLVMTypeRef type) {
  uint64_t count = 0;
  if (!spgc_ir_type_is_aggregate_of_references(type))
    return 1;
  for (unsigned i = 0; i < spgc_aggregate_count(type) && count <= MOST_PARTS; i++)
    count += count_parts(spgc_aggregate_part(type, i));
  return count;
}

static LLVMValueRef address_at(const struct access *access, uint64_t offset) {
  return spgc_ir_build_offset(access->builder, access->address, offset);
}

/* Makes the part as volatile as the whole, and as aligned as its offset leaves it. */
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

/* The part of a value; the one that was inserted, if that is seen. */
static LLVMValueRef part_of(LLVMBuilderRef builder, LLVMValueRef value, unsigned i) {
  LLVMValueRef from = value;
  while (LLVMIsAInsertValueInst(from) && LLVMGetIndices(from)[0] != i)
    from = LLVMGetOperand(from, 0);
  return LLVMIsAInsertValueInst(from) && LLVMGetNumIndices(from) == 1
             ? LLVMGetOperand(from, 1)
             : LLVMBuildExtractValue(builder, from, i, "");
}

static void store_at(const struct access *access, LLVMValueRef value, uint64_t offset) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (!spgc_ir_type_is_aggregate_of_references(type)) {
    describe(access, LLVMBuildStore(access->builder, value, address_at(access, offset)), offset);
    return;
  }
  for (unsigned i = 0; i < spgc_aggregate_count(type); i++)
    store_at(access, part_of(access->builder, value, i),
             offset + spgc_aggregate_offset(access->data, type, i));
}

static void split(struct lowering *lowering, LLVMValueRef instruction) {
  bool store = LLVMIsAStoreInst(instruction) != NULL;
  struct access access = {.builder = lowering->builder,
                          .data = LLVMGetModuleDataLayout(lowering->module),
                          .instruction = instruction,
                          .address = LLVMGetOperand(instruction, store ? 1 : 0)};
  LLVMPositionBuilderBefore(lowering->builder, instruction);
  if (store)
    store_at(&access, LLVMGetOperand(instruction, 0), 0);
  else
    LLVMReplaceAllUsesWith(instruction, load_at(&access, LLVMTypeOf(instruction), 0));
  LLVMInstructionEraseFromParent(instruction);
}

static bool is_divisible(LLVMTypeRef type) {
  return spgc_ir_type_is_aggregate_of_references(type) && !spgc_ir_type_is_scalable(type);
}

static bool is_load(LLVMValueRef instruction) {
  return LLVMIsALoadInst(instruction) && is_divisible(LLVMTypeOf(instruction));
}

static bool is_store(LLVMValueRef instruction) {
  return LLVMIsAStoreInst(instruction) && is_divisible(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
}

static enum spgc_result split_all(struct lowering *lowering,
                                  bool (*is_wanted)(LLVMValueRef instruction),
                                  struct spgc_error *error) {
  struct values found = {0};
  enum spgc_result result = SPGC_OK;
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_INSTRUCTION_OF (instruction, function)
      if (is_wanted(instruction))
        spgc_values_add(&found, instruction);
  for (unsigned i = 0; i < found.count && result == SPGC_OK; i++) {
    bool is_store = LLVMIsAStoreInst(found.at[i]) != NULL;
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(found.at[i], 0) : found.at[i]);
    if (count_parts(type) <= MOST_PARTS)
      split(lowering, found.at[i]);
    else
      result = spgc_reject(found.at[i], NULL, &too_many_parts, error);
  }
  spgc_values_free(&found);
  return result;
}

/* Loads come first, because their parts are what stores store. Functions without gc are treated
 * alike, because they may be inlined. */
enum spgc_result spgc_split_aggregate_accesses(struct lowering *lowering,
                                               struct spgc_error *error) {
  enum spgc_result result = split_all(lowering, is_load, error);
  return result == SPGC_OK ? split_all(lowering, is_store, error) : result;
}
