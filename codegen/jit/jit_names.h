/* The names of one loaded object's functions and variables, for the runtime's log and snapshots. */
#ifndef SPGC_CODEGEN_JIT_JIT_NAMES_H
#define SPGC_CODEGEN_JIT_JIT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/code_name.h"

struct jit_name_list {
  struct spgc_code_names added; /* the names that the runtime has, once they are published */
  struct spgc_code_name *names;
  size_t count, capacity;
};

struct jit_names {
  struct jit_name_list functions, variables;
};

/* Collects the functions or variables of a section that was loaded at `start`; none when the ELF
 * object has several sections of that name. */
void spgc_jit_names_collect_functions(struct jit_names *names, const char *object, size_t size,
                                      const char *section, uintptr_t start);
void spgc_jit_names_collect_variables(struct jit_names *names, const char *object, size_t size,
                                      const char *section, uintptr_t start);

/* Gives the names to the runtime. */
void spgc_jit_names_publish(struct jit_names *names);

/* Withdraws the names. Must be called before the object is unloaded. */
void spgc_jit_names_drop(struct jit_names *names);

#endif
