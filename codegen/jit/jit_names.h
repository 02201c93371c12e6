/* The names of one loaded object: those that it exports, and those of its functions and variables,
 * for the runtime's log and snapshots. A definition that another object's is used for has none. */
#ifndef SPGC_CODEGEN_JIT_JIT_NAMES_H
#define SPGC_CODEGEN_JIT_JIT_NAMES_H

#include "codegen/jit/jit_image.h"
#include "codegen/jit/jit_symbols.h"
#include "spgc/code_name.h"

/* All zero: there are none. */
struct jit_names {
  struct spgc_code_names *functions, *variables; /* NULL: there are none */
  struct jit_symbol *exports;                    /* without owners; the memory of all begins here */
  size_t export_count;
  const char *object; /* of the module's source, or of what it exports; for messages */
  bool is_published;
};

/* Collects the names of an image whose symbols have addresses. False if there is no memory. */
bool spgc_jit_names_collect(struct jit_names *names, const struct jit_image *image);

/* Gives the names of functions and variables to the runtime. */
void spgc_jit_names_publish(struct jit_names *names);

/* Withdraws them, if they were published. Must be called before the code is unloaded. */
void spgc_jit_names_withdraw(struct jit_names *names);

void spgc_jit_names_free(struct jit_names *names);

#endif
