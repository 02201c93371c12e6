/* LLVM's C API cannot copy functions.
 *
 * The copy is internal. It has no subprogram: its instructions keep the original's locations, which
 * is right only once it is inlined there. */
#ifndef SPGC_CODEGEN_IR_FUNCTION_CLONE_H
#define SPGC_CODEGEN_IR_FUNCTION_CLONE_H

#include <llvm-c/Core.h>

LLVMValueRef spgc_function_clone(LLVMValueRef function, const char *name);

#endif
