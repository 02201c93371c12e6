#ifndef SPGC_CODEGEN_EMIT_EH_FRAME_H
#define SPGC_CODEGEN_EMIT_EH_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

struct described_function {
  const uint8_t *description; /* its FDE */
  uintptr_t start;
  size_t bytes;
};

typedef void described_function_visitor(void *context, const struct described_function *function);

/* SPGC_ERROR_MALFORMED, with the offset; SPGC_ERROR_UNSUPPORTED for common records that LLVM does
 * not write. */
enum spgc_result spgc_eh_frame_read(const uint8_t *section, size_t size,
                                    described_function_visitor *found, void *context,
                                    struct spgc_error *error);

#endif
