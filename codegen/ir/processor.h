/* The processors that LLVM knows. */
#ifndef SPGC_CODEGEN_PROCESSOR_H
#define SPGC_CODEGEN_PROCESSOR_H

#include <stdbool.h>

/* Whether LLVM has an x86-64 processor with this name. */
bool spgc_processor_is_known(const char *name);

#endif
