/* How many registers of each kind a value takes, for every supported LLVM and processor. Vector
 * registers count as 16 bytes. */
#ifndef SPGC_CODEGEN_IR_PARTS_H
#define SPGC_CODEGEN_IR_PARTS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "codegen/ir/processor.h"

struct parts {
  unsigned integers;
  unsigned numbers; /* floating point, and 16-byte parts of vectors */
  unsigned unknown; /* passed in special ways, or not at all */
};

/* Each count stops above every limit. */
struct parts spgc_parts_of(LLVMTypeRef type);

bool spgc_parts_fit_parameters(LLVMTypeRef function, const struct processor *processor);

#endif
