#ifndef SPGC_CODEGEN_IR_LINKAGE_H
#define SPGC_CODEGEN_IR_LINKAGE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

bool spgc_ir_is_local(LLVMValueRef global);

/* The module defines it, and the linker chooses no definition that behaves differently. */
bool spgc_ir_is_definitive(LLVMValueRef global);

#endif
