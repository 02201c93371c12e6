/* The functions of a section of code, and the call instructions in them. */
#ifndef SPGC_CODEGEN_EMIT_CODE_SHAPE_H
#define SPGC_CODEGEN_EMIT_CODE_SHAPE_H

#include "codegen/emit/elf_image.h"
#include "spgc/result.h"

/* One entry for each byte of the section, and one more. */
struct code_shape {
  uint32_t *function_sizes; /* of the function that starts here, or 0 */
  uint8_t *call_sizes;      /* of the call instruction that ends here, or 0 */
  uint64_t bytes;
};

/* Reads section `index`, whose functions `symbols` names. The caller must free the shape, whatever
 * the result. */
enum spgc_result spgc_code_shape_read(const struct elf_image *object, const Elf64_Shdr *symbols,
                                      uint64_t index, struct code_shape *shape,
                                      struct spgc_error *error);

void spgc_code_shape_free(struct code_shape *shape);

#endif
