/* What the linker may do with a function or a variable of a module. */
#ifndef SPGC_CODEGEN_IR_LINKAGE_H
#define SPGC_CODEGEN_IR_LINKAGE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* True if no other module can name it. */
bool spgc_ir_is_local(LLVMValueRef global);

/* True if the module defines it, and the linker may not choose a definition that does something
 * else. */
bool spgc_ir_is_definitive(LLVMValueRef global);

#endif
