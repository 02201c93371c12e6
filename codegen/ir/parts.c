#include "codegen/ir/parts.h"

#include <stdint.h>

/* above every limit */
enum { MANY = 16 };

static void add(unsigned *count, uint64_t more, uint64_t times) {
  uint64_t sum = *count + (more < MANY ? more : MANY) * (times < MANY ? times : MANY);
  *count = sum < MANY ? (unsigned)sum : MANY;
}

static void add_parts(struct parts *parts, const struct parts *more, uint64_t times) {
  add(&parts->integers, more->integers, times);
  add(&parts->numbers, more->numbers, times);
  add(&parts->unknown, more->unknown, times);
}

enum { WORD = 64, VECTOR = 128 };

/* 0 unless the element fills registers without conversion. */
static unsigned element_bits(LLVMTypeRef element) {
  switch (LLVMGetTypeKind(element)) {
  case LLVMIntegerTypeKind: {
    unsigned width = LLVMGetIntTypeWidth(element);
    return width == 8 || width == 16 || width == 32 || width == 64 ? width : 0;
  }
  case LLVMPointerTypeKind:
  case LLVMDoubleTypeKind: return WORD;
  case LLVMFloatTypeKind: return WORD / 2;
  default: return 0;
  }
}

/* LLVM splits vectors of other lengths, and passes a vector of one element as the element. */
static struct parts parts_of_vector(LLVMTypeRef type) {
  uint64_t bits = element_bits(LLVMGetElementType(type)), length = LLVMGetVectorSize(type);
  struct parts parts = {0};
  if (bits == 0 || (length & (length - 1)) != 0)
    parts.unknown = 1;
  else if (length == 1)
    return spgc_parts_of(LLVMGetElementType(type));
  else
    add(&parts.numbers, (length * bits + VECTOR - 1) / VECTOR, 1);
  return parts;
}

struct parts spgc_parts_of(LLVMTypeRef type) {
  struct parts parts = {0}, part;
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind: break;
  case LLVMPointerTypeKind: parts.integers = 1; break;
  case LLVMIntegerTypeKind:
    add(&parts.integers, (LLVMGetIntTypeWidth(type) + WORD - 1) / WORD, 1);
    break;
  case LLVMHalfTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind: parts.numbers = 1; break;
  case LLVMVectorTypeKind: return parts_of_vector(type);
  case LLVMArrayTypeKind:
    part = spgc_parts_of(LLVMGetElementType(type));
    add_parts(&parts, &part, LLVMGetArrayLength2(type));
    break;
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
      part = spgc_parts_of(LLVMStructGetTypeAtIndex(type, i));
      add_parts(&parts, &part, 1);
    }
    break;
  default: parts.unknown = 1;
  }
  return parts;
}

bool spgc_parts_fit_parameters(LLVMTypeRef function, const struct processor *processor) {
  enum { PARAMETERS_MOST = 16 };
  unsigned count = LLVMCountParamTypes(function);
  LLVMTypeRef parameters[PARAMETERS_MOST];
  struct parts all = {0};
  if (LLVMIsFunctionVarArg(function) || count > PARAMETERS_MOST)
    return false;
  LLVMGetParamTypes(function, parameters);
  for (unsigned i = 0; i < count; i++) {
    struct parts parts = spgc_parts_of(parameters[i]);
    add_parts(&all, &parts, 1);
  }
  return all.integers <= processor->integer_parameters &&
         all.numbers <= processor->floating_point_parameters && all.unknown == 0;
}
