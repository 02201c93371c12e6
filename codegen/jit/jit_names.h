/* Names of loaded functions and variables, for the runtime's log and snapshots, except of
 * definitions that another object's replace.
 *
 * Neighbours share a list, because an empty list is as large as four names. The runtime reads
 * lists, so one never changes: a larger or smaller one replaces it before it is freed. Under the
 * JIT's lock. */
#ifndef SPGC_CODEGEN_JIT_JIT_NAMES_H
#define SPGC_CODEGEN_JIT_JIT_NAMES_H

#include "codegen/jit/jit_image.h"
#include "codegen/jit/jit_symbols.h"
#include "spgc/code_name.h"

struct jit_name_lists {
  const struct jit_area *area;
  struct jit_name_list **pages; /* those that start there; NULL: none */
  void (*add)(struct spgc_code_names *);
  void (*remove)(struct spgc_code_names *);
};

struct jit_names {
  const struct jit_arena *arena;
  struct jit_name_lists functions, variables;
};

bool spgc_jit_names_open(struct jit_names *names, const struct jit_arena *arena);
void spgc_jit_names_close(struct jit_names *names);

struct jit_name_counts {
  size_t exports, text_bytes;
};

/* The image's own symbols must be known. */
struct jit_name_counts spgc_jit_names_count(const struct jit_image *image);

/* Fills both, which must stay until the names are withdrawn. The image's symbols must have
 * addresses. False without memory; some names may be known by then. */
bool spgc_jit_names_add(struct jit_names *names, const struct jit_image *image,
                        struct jit_symbol *exports, char *text);

/* Before the code is unloaded. Needs no memory. */
void spgc_jit_names_withdraw(struct jit_names *names, struct jit_span code, struct jit_span data);

#endif
