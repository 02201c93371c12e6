/* Functions that run when the code is loaded, and when it is unloaded. */
#ifndef SPGC_CODEGEN_IR_CONSTRUCTORS_H
#define SPGC_CODEGEN_IR_CONSTRUCTORS_H

#include <llvm-c/Core.h>

/* `function` is () -> void. It runs before, or after, the functions that the program lists in
 * llvm.global_ctors and llvm.global_dtors, because those may run generated code. */
void spgc_constructor_add(LLVMValueRef function);
void spgc_destructor_add(LLVMValueRef function);

#endif
