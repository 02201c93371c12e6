#ifndef SPGC_CODEGEN_EMIT_FLAT_SECTION_H
#define SPGC_CODEGEN_EMIT_FLAT_SECTION_H

#include <llvm-c/Core.h>

#include "spgc/result.h"

/* Replaces the buffer by one whose section .llvm_stackmaps has become .spgc_stackmaps: read-only
 * flat maps (spgc/flat_stackmap.h), one for each section of code, each with one relocation relative
 * to itself. An object without stack maps does not change. */
enum spgc_result spgc_flat_section_make(LLVMMemoryBufferRef *buffer, struct spgc_error *error);

#endif
