/* The names of one loaded object's functions and variables, for the runtime's log and snapshots. */
#ifndef SPGC_CODEGEN_JIT_JIT_NAMES_H
#define SPGC_CODEGEN_JIT_JIT_NAMES_H

#include "codegen/jit/jit_image.h"
#include "spgc/code_name.h"

struct jit_names {
  struct spgc_code_names functions, variables; /* `names` is NULL if there are none */
};

/* Collects the names of an image whose sections have addresses. False if there is no memory. */
bool spgc_jit_names_collect(struct jit_names *names, const struct jit_image *image);

/* Gives the names to the runtime. */
void spgc_jit_names_publish(struct jit_names *names);

/* Withdraws the names. Must be called before the object is unloaded. */
void spgc_jit_names_drop(struct jit_names *names);

#endif
