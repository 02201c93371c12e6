/* The names of one loaded object's functions, for the runtime's log. */
#ifndef SPGC_CODEGEN_JIT_JIT_NAMES_H
#define SPGC_CODEGEN_JIT_JIT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/code_name.h"

struct jit_names {
  struct spgc_code_names added; /* what the runtime knows, once published */
  struct spgc_code_name *names;
  size_t count, capacity;
};

/* Notes the functions of a section of code, which was loaded at `start`; none when the ELF object
 * has several sections of that name. */
void spgc_jit_names_collect(struct jit_names *names, const char *object, size_t size,
                            const char *section, uintptr_t start);

/* Tells the runtime. */
void spgc_jit_names_publish(struct jit_names *names);

/* Before the code goes. */
void spgc_jit_names_drop(struct jit_names *names);

#endif
