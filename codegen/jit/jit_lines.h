/* The line table of an object's debug information (DWARF 2 to 5, section 6.2). */
#ifndef SPGC_CODEGEN_JIT_JIT_LINES_H
#define SPGC_CODEGEN_JIT_JIT_LINES_H

#include "codegen/jit/jit_image.h"

/* From this address onwards, the code belongs to the line. */
struct jit_line {
  uintptr_t address;
  const char *folder, *file; /* in the image, and valid as long as it */
  uint32_t line;
};

/* Visits the rows of all line tables of a loaded image, in order. Rows that are broken, or in a
 * form that LLVM does not write, are left out. */
void spgc_jit_lines_read(const struct jit_image *image,
                         void (*visit)(void *context, const struct jit_line *line), void *context);

#endif
