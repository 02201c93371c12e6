#include "codegen/ir/constant_bytes.h"

#include "codegen/ir/aggregate.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/storage.h"

static bool is_definitive(LLVMValueRef global) {
  return LLVMIsGlobalConstant(global) && LLVMGetInitializer(global) != NULL &&
         !LLVMIsExternallyInitialized(global) && spgc_ir_is_definitive(global);
}

bool spgc_constant_bytes_at(LLVMTargetDataRef data, LLVMValueRef pointer,
                            struct constant_bytes *bytes) {
  LLVMValueRef global = spgc_ir_underlying_object(pointer);
  if (!LLVMIsAConstant(pointer) || !LLVMIsAGlobalVariable(global) || !is_definitive(global))
    return false;
  struct place place = spgc_place_of(data, pointer);
  if (place.type == NULL)
    return false;
  *bytes = (struct constant_bytes){data, global, LLVMGetInitializer(global), place.offset};
  return true;
}

bool spgc_constant_bytes_end(const struct constant_bytes *bytes, uint64_t at) {
  return bytes->offset + at >= LLVMABISizeOfType(bytes->data, LLVMTypeOf(bytes->initializer));
}

static LLVMValueRef scalar_at(LLVMTargetDataRef data, LLVMValueRef constant, uint64_t *offset) {
  while (constant != NULL) {
    LLVMTypeRef type = LLVMTypeOf(constant);
    if (*offset >= LLVMStoreSizeOfType(data, type))
      return NULL;
    if (!spgc_is_aggregate(type))
      return constant;
    constant = LLVMGetAggregateElement(constant, spgc_aggregate_at(data, type, offset));
  }
  return NULL;
}

/* Many frontends write sizes and offsets as address arithmetic on null. */
static bool is_distance(LLVMTargetDataRef data, LLVMValueRef scalar, int64_t *bytes) {
  if (LLVMIsAConstantExpr(scalar) == NULL || LLVMGetConstOpcode(scalar) != LLVMPtrToInt)
    return false;
  LLVMValueRef address = LLVMGetOperand(scalar, 0);
  return LLVMIsAConstantExpr(address) != NULL && LLVMGetConstOpcode(address) == LLVMGetElementPtr &&
         LLVMIsNull(LLVMGetOperand(address, 0)) && spgc_constant_distance(data, address, bytes);
}

static bool read_byte(const struct constant_bytes *bytes, uint64_t at, uint8_t *byte) {
  uint64_t offset = bytes->offset + at;
  LLVMValueRef scalar = scalar_at(bytes->data, bytes->initializer, &offset);
  if (scalar == NULL)
    return false;
  if (LLVMIsNull(scalar)) {
    *byte = 0;
    return true;
  }
  int64_t number;
  if (LLVMStoreSizeOfType(bytes->data, LLVMTypeOf(scalar)) > sizeof number)
    return false;
  if (LLVMIsAConstantInt(scalar))
    number = (int64_t)LLVMConstIntGetZExtValue(scalar);
  else if (!is_distance(bytes->data, scalar, &number))
    return false;
  *byte = (uint8_t)((uint64_t)number >> (8 * offset));
  return true;
}

int64_t spgc_constant_number(const struct constant_bytes *bytes, uint64_t at) {
  int64_t number = 0;
  for (unsigned i = 0; i < sizeof(uint32_t); i++) {
    uint8_t byte;
    if (!read_byte(bytes, at + i, &byte))
      return CONSTANT_UNKNOWN;
    number |= (int64_t)byte << (8 * i);
  }
  return number;
}

LLVMValueRef spgc_constant_pointer(const struct constant_bytes *bytes, uint64_t at) {
  uint64_t offset = bytes->offset + at;
  LLVMValueRef scalar = scalar_at(bytes->data, bytes->initializer, &offset);
  bool is_pointer =
      scalar != NULL && offset == 0 && LLVMGetTypeKind(LLVMTypeOf(scalar)) == LLVMPointerTypeKind;
  return is_pointer ? scalar : NULL;
}
