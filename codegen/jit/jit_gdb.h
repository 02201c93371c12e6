/* gdb's "JIT Compilation Interface". */
#ifndef SPGC_CODEGEN_JIT_JIT_GDB_H
#define SPGC_CODEGEN_JIT_JIT_GDB_H

#include "codegen/jit/jit_image.h"

struct jit_gdb_object {
  struct jit_gdb_entry *entry;
};

/* Copies the file, with the sections' addresses. Does nothing without memory. */
void spgc_jit_gdb_add(struct jit_gdb_object *object, const struct jit_image *image);
void spgc_jit_gdb_remove(struct jit_gdb_object *object);

#endif
