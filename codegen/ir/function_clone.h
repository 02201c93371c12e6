/* Copies a function, because LLVM's C API cannot.
 *
 * The copy is internal; has the attributes, calling convention, collector and personality of the
 * original; and calls the functions that the original calls, the original itself included. It has
 * no subprogram of its own. Its instructions keep the locations of the original, which is right
 * only once the copy is inlined there.
 */
#ifndef SPGC_CODEGEN_IR_FUNCTION_CLONE_H
#define SPGC_CODEGEN_IR_FUNCTION_CLONE_H

#include <llvm-c/Core.h>

LLVMValueRef spgc_function_clone(LLVMValueRef function, const char *name);

#endif
