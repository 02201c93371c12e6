/* The memory of one loaded object, and its registrations with the runtime. */
#ifndef SPGC_CODEGEN_JIT_JIT_OBJECT_H
#define SPGC_CODEGEN_JIT_JIT_OBJECT_H

#include <llvm-c/OrcEE.h>

#include "codegen/jit/jit_arena.h"
#include "codegen/jit/jit_patch.h"
#include "codegen/jit/jit_unwind.h"

/* Data of a removed object. It is kept because type descriptors of objects in the heap may lie in
 * it. */
struct jit_retired {
  struct jit_span span;
  uint64_t number; /* unique for all time */
  struct jit_retired *next;
};

/* The state that all objects share. Read and written under the JIT's lock. */
struct jit_memory {
  struct jit_retired *retired;
  uint64_t retired_count; /* the number of retired data so far */
  const char *image;      /* the ELF object that is being loaded; NULL: none */
  size_t image_size;
  struct spgc_error refusal; /* why the last object was refused when it was loaded; code SPGC_OK:
                                it was not, or the caller has been told */
  struct jit_arena arena;
  struct jit_unwind unwind;
  struct jit_patches patches;
};

/* An object layer that loads into `memory`, which must outlive it. */
LLVMOrcObjectLayerRef spgc_jit_object_layer_create(struct jit_memory *memory,
                                                   LLVMOrcExecutionSessionRef session);

/* Frees the memory of the retired data with that number, if it still exists. */
void spgc_jit_memory_free_retired(struct jit_memory *memory, uint64_t number);

/* `listeners` are bits of enum spgc_jit_listeners. */
enum spgc_result spgc_jit_object_layer_listen(LLVMOrcObjectLayerRef layer, unsigned listeners,
                                              struct spgc_error *error);

#endif
