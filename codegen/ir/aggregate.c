#include "codegen/ir/aggregate.h"

static bool is_array(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMArrayTypeKind;
}

bool spgc_is_aggregate(LLVMTypeRef type) {
  return is_array(type) || LLVMGetTypeKind(type) == LLVMStructTypeKind;
}

unsigned spgc_aggregate_count(LLVMTypeRef type) {
  return is_array(type) ? (unsigned)LLVMGetArrayLength2(type) : LLVMCountStructElementTypes(type);
}

LLVMTypeRef spgc_aggregate_part(LLVMTypeRef type, unsigned i) {
  return is_array(type) ? LLVMGetElementType(type) : LLVMStructGetTypeAtIndex(type, i);
}

uint64_t spgc_aggregate_offset(LLVMTargetDataRef data, LLVMTypeRef type, unsigned i) {
  return is_array(type) ? i * LLVMABISizeOfType(data, LLVMGetElementType(type))
                        : LLVMOffsetOfElement(data, type, i);
}

/* Stops above the limit. */
static uint64_t count_parts(LLVMTypeRef type, uint64_t limit) {
  if (!spgc_is_aggregate(type))
    return 1;
  if (is_array(type)) {
    uint64_t length = LLVMGetArrayLength2(type);
    return (length <= limit ? length : limit + 1) * count_parts(LLVMGetElementType(type), limit);
  }
  uint64_t count = 0;
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && count <= limit; i++)
    count += count_parts(LLVMStructGetTypeAtIndex(type, i), limit);
  return count;
}

bool spgc_aggregate_exceeds(LLVMTypeRef type, uint64_t limit) {
  return count_parts(type, limit) > limit;
}
