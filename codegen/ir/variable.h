/* A local variable that stays in memory, and its words that hold references: those that its type
 * declares as references, and no others.
 *
 * A statepoint lists the runs of such words, and the collector rewrites them: see variables.c.
 */
#ifndef SPGC_CODEGEN_IR_VARIABLE_H
#define SPGC_CODEGEN_IR_VARIABLE_H

#include <stdint.h>

#include <llvm-c/Target.h>

#include "codegen/ir/objection.h"

/* `words` words from `offset` bytes on. */
struct variable_run {
  uint64_t offset, words;
};

enum { VARIABLE_MOST_RUNS = 256 };

struct variable {
  LLVMValueRef alloca;
  const struct objection *objection; /* NULL: the variable can be a root */
  size_t run_count;                  /* 0: the variable holds no references */
  struct variable_run runs[VARIABLE_MOST_RUNS];
};

/* Reads the type of an alloca in address space 0. */
void spgc_variable_read(LLVMValueRef alloca, LLVMTargetDataRef data, struct variable *variable);

#endif
