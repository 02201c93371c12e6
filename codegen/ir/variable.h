/* A local variable in memory, whose words with references statepoints list (variables.c). */
#ifndef SPGC_CODEGEN_IR_VARIABLE_H
#define SPGC_CODEGEN_IR_VARIABLE_H

#include <stdint.h>

#include <llvm-c/Target.h>

/* Why a stack map cannot list its references. */
enum variable_fault {
  VARIABLE_CAN_BE_ROOT,
  VARIABLE_DYNAMIC, /* its size varies */
  VARIABLE_LATE,    /* it is outside the first block, and may exist several times in a frame */
  VARIABLE_MISALIGNED,
  VARIABLE_SCATTERED, /* references in more than VARIABLE_MOST_RUNS places */
};

struct variable_run {
  uint64_t offset, words;
};

enum { VARIABLE_MOST_RUNS = 256 };

struct variable {
  LLVMValueRef alloca;
  enum variable_fault fault;
  size_t run_count;
  struct variable_run runs[VARIABLE_MOST_RUNS];
};

void spgc_variable_read(LLVMValueRef alloca, LLVMTargetDataRef data, struct variable *variable);

#endif
