#ifndef SPGC_CODEGEN_IR_LINKAGE_H
#define SPGC_CODEGEN_IR_LINKAGE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

bool spgc_ir_is_local(LLVMValueRef global);

/* Defined here, and the linker chooses no other that behaves differently. */
bool spgc_ir_is_definitive(LLVMValueRef global);

#endif
