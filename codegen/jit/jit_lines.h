/* The line table of debug information (DWARF 2 to 5, section 6.2). */
#ifndef SPGC_CODEGEN_JIT_JIT_LINES_H
#define SPGC_CODEGEN_JIT_JIT_LINES_H

#include "codegen/jit/jit_image.h"

struct jit_line {
  uintptr_t address;
  const char *folder, *file;
  uint32_t line;
};

/* In the order of the tables. Omits rows in a form that LLVM does not write. */
void spgc_jit_lines_read(const struct jit_image *image,
                         void (*visit)(void *context, const struct jit_line *line), void *context);

#endif
