/* Exports, and functions and variables for the runtime's log and snapshots. Definitions replaced by
 * another object's have none. */
#ifndef SPGC_CODEGEN_JIT_JIT_NAMES_H
#define SPGC_CODEGEN_JIT_JIT_NAMES_H

#include "codegen/jit/jit_image.h"
#include "codegen/jit/jit_symbols.h"
#include "spgc/code_name.h"

struct jit_names {
  struct spgc_code_names *functions, *variables; /* NULL if there are none */
  struct jit_symbol *exports;                    /* all names share the memory that begins here */
  const char *object; /* the module's source, or an export; for messages */
  uint32_t export_count;
  bool is_published;
};

/* The image's symbols must have addresses. False if there is no memory. */
bool spgc_jit_names_collect(struct jit_names *names, const struct jit_image *image);

void spgc_jit_names_publish(struct jit_names *names);

/* Called before the code is unloaded. */
void spgc_jit_names_withdraw(struct jit_names *names);

void spgc_jit_names_free(struct jit_names *names);

#endif
