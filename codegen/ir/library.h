/* The functions of the C library that are leaves: the one list of them, for managed functions and
 * for leaves that call them. None calls a function of the program, unless the program gave the
 * library one for input and output. docs/frontend-rules.md lists them for users. */
#ifndef SPGC_CODEGEN_IR_LIBRARY_H
#define SPGC_CODEGEN_IR_LIBRARY_H

#include <llvm-c/Core.h>

enum library_call {
  LIBRARY_NONE,  /* not of the list: another name or type, defined in the module, "nobuiltin" */
  LIBRARY_LEAF,  /* reaches no safepoint; references that it is given are only read */
  LIBRARY_KEEPS, /* the same, but it returns or keeps a reference that it is given */
};

enum library_call spgc_library_call_of(LLVMValueRef call);

#endif
