/* The memory of one loaded object, and what of it the runtime was told. */
#ifndef SPGC_CODEGEN_JIT_JIT_OBJECT_H
#define SPGC_CODEGEN_JIT_JIT_OBJECT_H

#include <llvm-c/OrcEE.h>

#include "codegen/jit/jit_arena.h"
#include "codegen/jit/jit_patch.h"
#include "codegen/jit/jit_unwind.h"

/* Data of a removed object, in which type descriptors of objects in the heap may lie. */
struct jit_retired {
  struct jit_span span;
  uint64_t number; /* no other one had or will have it */
  struct jit_retired *next;
};

/* What all objects share. */
struct jit_memory {
  struct jit_retired *retired;
  uint64_t retired_count; /* ever */
  const char *image;      /* the ELF object that is being loaded; NULL: none */
  size_t image_size;
  struct jit_arena arena;
  struct jit_unwind unwind;
  struct jit_patches patches;
};

/* An object layer that loads into `memory`, which must outlive it. */
LLVMOrcObjectLayerRef spgc_jit_object_layer_create(struct jit_memory *memory,
                                                   LLVMOrcExecutionSessionRef session);

/* Gives back the memory of the retired data with that number, if it is still there. */
void spgc_jit_memory_free_retired(struct jit_memory *memory, uint64_t number);

/* `listeners`: of enum spgc_jit_listeners. */
enum spgc_result spgc_jit_object_layer_listen(LLVMOrcObjectLayerRef layer, unsigned listeners,
                                              struct spgc_error *error);

#endif
