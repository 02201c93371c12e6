/* Leaves of the C library, listed for users in docs/frontend-rules.md. None calls a function of the
 * program, except through a stream that the program defined. */
#ifndef SPGC_CODEGEN_IR_LIBRARY_H
#define SPGC_CODEGEN_IR_LIBRARY_H

#include <llvm-c/Core.h>

enum library_call {
  LIBRARY_NONE,  /* another name or type, defined in the module, or "nobuiltin" */
  LIBRARY_LEAF,  /* only reads memory at its references */
  LIBRARY_KEEPS, /* returns or keeps a reference */
};

enum library_call spgc_library_call_of(LLVMValueRef call);

#endif
