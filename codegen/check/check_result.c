/* The rule for results of calls that become statepoints.
 *
 * A result that does not fit the registers of its convention is returned in memory: LLVM passes the
 * address itself. It does so for calls, and not for statepoints. Of a statepoint with such a result
 * it makes a call without a record and a record of a call of address 0, or it crashes. So each part
 * of the result must have a register. The rule counts parts, and allows what is known to work with
 * every supported LLVM.
 */
#include "codegen/check/check.h"

#include <llvm/Config/llvm-config.h>

#include "codegen/ir/ir.h"

/* Parts of a result, by the kind of register that each takes. */
struct parts {
  unsigned integers;
  unsigned numbers;  /* in floating point */
  unsigned vectors;  /* of 16 bytes, in the same registers as numbers */
  unsigned extended; /* x86_fp80 */
  unsigned unknown;  /* those that LLVM returns in ways of its own, or cannot return */
};

/* Counts stop here, above every limit. */
enum { MANY = 16 };

/* Numbers and vectors together where there are numbers. LLVM returns a third number on the x87
 * stack, which LLVM 22 cannot do at a statepoint. */
enum {
  MOST_INTEGERS = 3,
  MOST_INTEGERS_OF_SWIFT = 4,
  MOST_VECTORS = 4,
  MOST_WITH_NUMBERS = 2,
  MOST_EXTENDED = LLVM_VERSION_MAJOR > 19 ? 0 : 2,
};

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

/* Bits of an element of a vector that fills registers without being converted, or 0. The result of
 * an invoke is passed on to another block. LLVM converts small numbers there, and crashes for
 * vectors of them. */
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

/* LLVM makes the count of elements a power of two for one register, and takes longer vectors of
 * other counts apart. */
static void add_vector(struct parts *parts, LLVMTypeRef type, bool invoked) {
  uint64_t bits = element_bits(type, invoked), length = LLVMGetVectorSize(type);
  bool even = (length & (length - 1)) == 0;
  if (bits == 0 || (!even && length * bits > VECTOR))
    parts->unknown++;
  else
    add(&parts->vectors, (length * bits + VECTOR - 1) / VECTOR, 1);
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
  case LLVMVectorTypeKind: add_vector(&parts, type, invoked); break;
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

static const struct objection *check(LLVMTypeRef type, unsigned convention, bool invoked) {
  static const struct objection does_not_fit = {
      30, "LLVM loses a result of a statepoint that does not fit the registers for results",
      "return it through a pointer (sret), or mark the call \"gc-leaf-function\" if it cannot "
      "reach a safepoint"};
  struct parts parts = parts_of(type, invoked);
  unsigned most_integers =
      spgc_check_convention_is_swift(convention) ? MOST_INTEGERS_OF_SWIFT : MOST_INTEGERS;
  unsigned most_vectors = parts.numbers != 0 ? MOST_WITH_NUMBERS : MOST_VECTORS;
  bool fits = parts.integers <= most_integers && parts.numbers + parts.vectors <= most_vectors &&
              parts.extended <= MOST_EXTENDED && parts.unknown == 0;
  return fits ? NULL : &does_not_fit;
}

/* LLVM may know the function as one of the C library, like sinl, and make no statepoint. */
static bool may_be_of_library(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && LLVMIsDeclaration(callee) &&
         LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMX86_FP80TypeKind;
}

const struct objection *spgc_check_result_if_statepoint(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  bool vanishes = callee != NULL && spgc_ir_function_vanishes(callee);
  if (spgc_ir_call_is_leaf(call) || spgc_ir_is_library_varargs(call) || vanishes ||
      spgc_ir_call_has_bundle(call, "gc-transition"))
    return NULL;
  return check(LLVMTypeOf(call), LLVMGetInstructionCallConv(call), LLVMIsAInvokeInst(call) != NULL);
}

const struct objection *spgc_check_result_of_call(LLVMValueRef call) {
  return may_be_of_library(call) ? NULL : spgc_check_result_if_statepoint(call);
}

const struct objection *spgc_check_result_of_statepoint(LLVMValueRef statepoint) {
  enum { CALLEE = 3 }; /* of the arguments, counted from one */
  unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
  LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(statepoint, CALLEE, kind);
  LLVMTypeRef result = LLVMGetReturnType(LLVMGetTypeAttributeValue(attribute));
  return check(result, LLVMGetInstructionCallConv(statepoint),
               LLVMIsAInvokeInst(statepoint) != NULL);
}
