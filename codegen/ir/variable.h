/* A local variable that stays in memory: which of its words hold references.
 *
 * A word does where the variable's type says so, and where the function itself loads or stores a
 * reference: the type of a union names one member only. What callees do with the address is not
 * looked at. A word that the function itself uses as a reference and as something else has no
 * meaning for the collector, and the variable an objection.
 *
 * A statepoint lists the runs of such words, and the collector rewrites them: see variables.c. */
#ifndef SPGC_CODEGEN_IR_VARIABLE_H
#define SPGC_CODEGEN_IR_VARIABLE_H

#include <llvm-c/Target.h>

#include "codegen/ir/objection.h"

/* `words` words from `offset` bytes on. */
struct variable_run {
  uint64_t offset;
  uint16_t words;
};

enum { VARIABLE_MOST_RUNS = 256 };

struct variable {
  LLVMValueRef alloca;
  const struct objection *objection; /* NULL: it can be a root */
  LLVMValueRef culprit;              /* the instruction that the objection is about */
  size_t run_count;                  /* 0: it holds no references */
  struct variable_run runs[VARIABLE_MOST_RUNS];
};

/* Reads the uses of an alloca in address space 0. */
void spgc_variable_read(LLVMValueRef alloca, LLVMTargetDataRef data, struct variable *variable);

#endif
