/* A local variable in memory, whose words with references statepoints list (variables.c). */
#ifndef SPGC_CODEGEN_IR_VARIABLE_H
#define SPGC_CODEGEN_IR_VARIABLE_H

#include <stdint.h>

#include <llvm-c/Target.h>

#include "codegen/ir/objection.h"

struct variable_run {
  uint64_t offset, words;
};

enum { VARIABLE_MOST_RUNS = 256 };

struct variable {
  LLVMValueRef alloca;
  const struct objection *objection; /* NULL: the variable can be a root */
  size_t run_count;
  struct variable_run runs[VARIABLE_MOST_RUNS];
};

void spgc_variable_read(LLVMValueRef alloca, LLVMTargetDataRef data, struct variable *variable);

#endif
