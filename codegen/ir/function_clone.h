/* A copy of a function, which LLVM's C API does not make.
 *
 * The copy is internal, has the attributes, calling convention, collector and personality of the
 * original, and calls what the original calls: itself, too. It has no subprogram of its own: the
 * locations of its instructions remain those of the original, which is right once it is inlined
 * there, and only there.
 */
#ifndef SPGC_CODEGEN_IR_FUNCTION_CLONE_H
#define SPGC_CODEGEN_IR_FUNCTION_CLONE_H

#include <llvm-c/Core.h>

LLVMValueRef spgc_function_clone(LLVMValueRef function, const char *name);

#endif
