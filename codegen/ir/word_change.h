/* What an operation does to the words of its operands. */
#ifndef SPGC_CODEGEN_IR_WORD_CHANGE_H
#define SPGC_CODEGEN_IR_WORD_CHANGE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

enum word_change {
  WORD_COPIED,
  WORD_UNTAGGED, /* tag bits were removed, or words were combined or taken apart */
  WORD_COMPUTED, /* other arithmetic was done */
  WORD_LOST,     /* what is left of it is no address */
};

enum word_change spgc_change_by_arithmetic(LLVMValueRef arithmetic);
enum word_change spgc_change_by_intrinsic(LLVMValueRef call);

/* True for an intrinsic whose name starts with one of `count` prefixes. */
bool spgc_is_any_intrinsic_of(LLVMValueRef call, const char *const *prefixes, size_t count);

/* The bits of an integer, or of a vector of them; zero for other types. */
unsigned spgc_integer_bits(LLVMTypeRef type);

#endif
