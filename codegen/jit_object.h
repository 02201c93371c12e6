/* The memory of one loaded object, and what of it the runtime was told. */
#ifndef SPGC_CODEGEN_JIT_OBJECT_H
#define SPGC_CODEGEN_JIT_OBJECT_H

#include <llvm-c/OrcEE.h>

#include "codegen/jit_arena.h"
#include "codegen/jit_patch.h"
#include "codegen/jit_unwind.h"

/* What all objects share. */
struct jit_memory {
  struct jit_arena arena;
  struct jit_unwind unwind;
  struct jit_patches patches;
};

/* An object layer that loads into `memory`, which must outlive it. */
LLVMOrcObjectLayerRef jit_object_layer_create(struct jit_memory *memory, LLVMOrcExecutionSessionRef session);

/* `listeners`: of enum spgc_jit_listeners. */
enum spgc_result jit_object_layer_listen(LLVMOrcObjectLayerRef layer, unsigned listeners, struct spgc_error *error);

#endif
