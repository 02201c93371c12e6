/* The parts of a value, by the kind of register that each takes where values are passed and
 * returned. The counts hold with every supported LLVM, whatever the processor has: long vectors
 * count as if its registers were 16 bytes long. */
#ifndef SPGC_CODEGEN_IR_PARTS_H
#define SPGC_CODEGEN_IR_PARTS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "codegen/ir/processor.h"

struct parts {
  unsigned integers;
  unsigned numbers; /* in floating point, and parts of vectors, of 16 bytes */
  unsigned unknown; /* those that LLVM passes in ways of its own, or cannot pass */
};

/* Each count stops above every limit. */
struct parts spgc_parts_of(LLVMTypeRef type);

/* True if the C calling convention passes no parameter of this function type on the stack. */
bool spgc_parts_fit_parameters(LLVMTypeRef function, const struct processor *processor);

#endif
