/* The addresses inside a local variable that a pointer may have.
 *
 * An index that is not constant stays in its array, as C demands. The array is the one that address
 * arithmetic names, or the one of the variable's type that the pointer led to. Passes of the
 * optimiser give an index to another pointer, take constants out of it, and forget the array. So
 * once the optimiser has run, an index leads anywhere in the variable. */
#ifndef SPGC_CODEGEN_IR_REACH_H
#define SPGC_CODEGEN_IR_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum { REACH_DIMENSIONS = 4 };

struct dimension {
  uint64_t stride, count;
};

/* Bounded: offset + i * stride of each dimension, i below its count. Otherwise (`stride` is not 0):
 * offset and the multiples of `stride` before and behind it. Not known for pointers that phis and
 * selects join. */
struct reach {
  bool known;
  uint64_t offset, stride;
  unsigned dimensions;
  struct dimension dimension[REACH_DIMENSIONS];
};

/* The variable that pointers reach into. */
struct reached {
  LLVMTargetDataRef data;
  LLVMTypeRef type; /* of its first element */
  uint64_t size;    /* in bytes */
  bool optimised;
};

/* What address arithmetic reaches from there. */
struct reach spgc_reach_of_arithmetic(const struct reached *variable, LLVMValueRef arithmetic,
                                      struct reach from);

/* True if it is known, and the addresses lie multiples of `bytes` apart. */
bool spgc_reach_is_multiple_of(const struct reach *reach, uint64_t bytes);

/* Calls `visit` with each address of the reach, or one at a constant distance from it: `first` is
 * the reach's offset with that distance. Some may lie outside of the variable. */
void spgc_reach_each(const struct reached *variable, const struct reach *reach, uint64_t first,
                     void (*visit)(void *context, uint64_t offset), void *context);

#endif
