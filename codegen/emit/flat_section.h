/* The stack maps of an object, made flat (spgc/flat_stackmap.h). */
#ifndef SPGC_CODEGEN_EMIT_FLAT_SECTION_H
#define SPGC_CODEGEN_EMIT_FLAT_SECTION_H

#include <llvm-c/Core.h>

#include "spgc/result.h"

/* Replaces the buffer by one in which .llvm_stackmaps is .spgc_stackmaps: flat maps, one for each
 * section of code, read-only, each with one relocation relative to itself. An object without stack
 * maps is left as it is. */
enum spgc_result spgc_flat_section_make(LLVMMemoryBufferRef *buffer, struct spgc_error *error);

#endif
