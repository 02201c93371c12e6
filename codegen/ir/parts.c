#include "codegen/ir/parts.h"

#include <stdint.h>

/* Counts stop here, above every limit. */
enum { MANY = 16 };

static void add(unsigned *count, uint64_t more, uint64_t times) {
  uint64_t sum = *count + (more < MANY ? more : MANY) * (times < MANY ? times : MANY);
  *count = sum < MANY ? (unsigned)sum : MANY;
}

static void add_parts(struct parts *parts, const struct parts *more, uint64_t times) {
  add(&parts->integers, more->integers, times);
  add(&parts->numbers, more->numbers, times);
  add(&parts->vectors, more->vectors, times);
  add(&parts->extended, more->extended, times);
  add(&parts->unknown, more->unknown, times);
}

enum { WORD = 64, VECTOR = 128, HALVES_OF_VECTOR = 8 };

/* Bits of an element of a vector that fills registers without being converted, or 0. */
static unsigned element_bits(LLVMTypeRef vector, bool invoked) {
  LLVMTypeRef element = LLVMGetElementType(vector);
  unsigned width;
  switch (LLVMGetTypeKind(element)) {
  case LLVMIntegerTypeKind:
    width = LLVMGetIntTypeWidth(element);
    return width == 8 || width == 16 || width == 32 || width == 64 ? width : 0;
  case LLVMPointerTypeKind:
  case LLVMDoubleTypeKind: return WORD;
  case LLVMFloatTypeKind: return WORD / 2;
  case LLVMHalfTypeKind:
    return invoked && LLVMGetVectorSize(vector) % HALVES_OF_VECTOR != 0 ? 0 : WORD / 4;
  case LLVMBFloatTypeKind: return invoked ? 0 : WORD / 4;
  default: return 0;
  }
}

static struct parts parts_of(LLVMTypeRef type, bool invoked);

/* LLVM makes the count of elements a power of two if they fill one register then, and takes other
 * vectors of such counts apart: shorter ones of integers go into a register for each element. A
 * vector of a single element is passed as this element. */
static bool is_taken_apart(LLVMTypeRef vector, uint64_t bits) {
  uint64_t length = LLVMGetVectorSize(vector), rounded = 1;
  while (rounded < length)
    rounded *= 2;
  return LLVMGetTypeKind(LLVMGetElementType(vector)) == LLVMIntegerTypeKind && rounded != length &&
         rounded * bits < VECTOR;
}

static struct parts parts_of_vector(LLVMTypeRef type, bool invoked) {
  uint64_t bits = element_bits(type, invoked), length = LLVMGetVectorSize(type);
  bool even = (length & (length - 1)) == 0;
  struct parts parts = {0};
  if (bits == 0 || (!even && length * bits > VECTOR))
    parts.unknown = 1;
  else if (is_taken_apart(type, bits))
    add(&parts.integers, length, 1);
  else if (length == 1)
    parts = parts_of(LLVMGetElementType(type), invoked);
  else
    add(&parts.vectors, (length * bits + VECTOR - 1) / VECTOR, 1);
  return parts;
}

static struct parts parts_of(LLVMTypeRef type, bool invoked) {
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
  case LLVMBFloatTypeKind:
    parts.numbers = !invoked;
    parts.unknown = invoked;
    break;
  case LLVMX86_FP80TypeKind: parts.extended = 1; break;
  case LLVMVectorTypeKind: return parts_of_vector(type, invoked);
  case LLVMArrayTypeKind:
    part = parts_of(LLVMGetElementType(type), invoked);
    add_parts(&parts, &part, LLVMGetArrayLength2(type));
    break;
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
      part = parts_of(LLVMStructGetTypeAtIndex(type, i), invoked);
      add_parts(&parts, &part, 1);
    }
    break;
  default: parts.unknown = 1;
  }
  return parts;
}

struct parts spgc_parts_of(LLVMTypeRef type) {
  return parts_of(type, false);
}

struct parts spgc_parts_of_invoked(LLVMTypeRef type) {
  return parts_of(type, true);
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
         all.numbers + all.vectors <= processor->floating_point_parameters && all.extended == 0 &&
         all.unknown == 0;
}
