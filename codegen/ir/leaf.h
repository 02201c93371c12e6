#ifndef SPGC_CODEGEN_IR_LEAF_H
#define SPGC_CODEGEN_IR_LEAF_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "codegen/ir/values.h"

bool spgc_leaf_is_called_as_one(LLVMValueRef function);

/* Members other than `holds` are initially zero. */
struct reach {
  bool (*holds)(LLVMValueRef function);
  struct values with, without, path;
};

/* Whether it may hold for the function or one that it calls; true if it calls itself or an unknown
 * function. */
bool spgc_leaf_may(struct reach *reach, LLVMValueRef function);

void spgc_reach_free(struct reach *reach);

/* Unmanaged functions that are called as leaves and may run a loop. */
void spgc_leaves_with_loops(LLVMModuleRef module, struct values *found);

#endif
