#ifndef SPGC_CODEGEN_IR_SOURCE_PLACE_H
#define SPGC_CODEGEN_IR_SOURCE_PLACE_H

#include <llvm-c/Core.h>

#include "spgc/result.h"

enum { SOURCE_VARIABLE_SIZE = 48 };

struct source_place {
  char file[SPGC_ERROR_FILE_SIZE]; /* a long path is "..." and its end; may be empty */
  unsigned line, column;           /* 0: unknown */
  char variable[SOURCE_VARIABLE_SIZE];
};

/* The line of the instruction, of an earlier one or of the function; and the variable that it
 * makes, reads or writes, or the only one that it uses. For a function or global variable, its
 * declaration. */
void spgc_source_place_of(LLVMValueRef value, LLVMValueRef alloca, struct source_place *place);

#endif
