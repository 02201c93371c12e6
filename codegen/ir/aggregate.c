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

unsigned spgc_aggregate_at(LLVMTargetDataRef data, LLVMTypeRef type, uint64_t *offset) {
  uint64_t index, size;
  if (is_array(type)) {
    size = LLVMABISizeOfType(data, LLVMGetElementType(type));
    index = size == 0 ? 0 : *offset / size;
    *offset = size == 0 ? 0 : *offset % size;
    return (unsigned)index;
  }
  unsigned last = LLVMCountStructElementTypes(type) - 1, field = last;
  if (*offset < LLVMOffsetOfElement(data, type, last))
    field = LLVMElementAtOffset(data, type, *offset);
  *offset -= LLVMOffsetOfElement(data, type, field);
  return field;
}
