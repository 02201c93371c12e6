/* The parts of a value, by the kind of register that each takes when it is passed or returned. The
 * counts hold for every supported LLVM and processor: long vectors count as if vector registers had
 * 16 bytes. */
#ifndef SPGC_CODEGEN_IR_PARTS_H
#define SPGC_CODEGEN_IR_PARTS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "codegen/ir/processor.h"

struct parts {
  unsigned integers;
  unsigned numbers; /* floating point, and 16-byte parts of vectors */
  unsigned unknown; /* parts that LLVM passes in special ways, or cannot pass */
};

/* Each count stops above every limit. */
struct parts spgc_parts_of(LLVMTypeRef type);

/* True if the C calling convention passes no parameter of this function type on the stack. */
bool spgc_parts_fit_parameters(LLVMTypeRef function, const struct processor *processor);

#endif
