/* Giving parameters of a function another type. */
#ifndef SPGC_CODEGEN_IR_FUNCTION_RETYPE_H
#define SPGC_CODEGEN_IR_FUNCTION_RETYPE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* Makes references of parameters of 8 bytes: of those, by number, that are chosen. All that is done
 * with them is a cast to a reference, or a store. LLVM's C API cannot change a function's type, so
 * another function gets the body, the name and all uses, and the calls of the module get its type.
 * The function is gone afterwards. It takes no part in a musttail call. */
void spgc_function_retype(LLVMValueRef function, const bool *becomes_reference);

#endif
