/* The functions of a section of code, and the call instructions in them. */
#ifndef SPGC_CODEGEN_EMIT_CODE_SHAPE_H
#define SPGC_CODEGEN_EMIT_CODE_SHAPE_H

#include "codegen/emit/elf_image.h"
#include "spgc/result.h"

/* One entry for each byte of the section, and one more. */
struct code_shape {
  uint32_t *function_sizes; /* the size of the function that starts here; 0: none does */
  uint8_t *call_sizes; /* the size of the call instruction that ends right before; 0: none does */
  uint64_t bytes;
};

/* Reads section `index`, whose functions `symbols` names. The caller must free the shape by
 * spgc_code_shape_free, whatever the result. */
enum spgc_result spgc_code_shape_read(const struct elf_image *object, const Elf64_Shdr *symbols,
                                      uint64_t index, struct code_shape *shape,
                                      struct spgc_error *error);

void spgc_code_shape_free(struct code_shape *shape);

#endif
