/* Reads an .eh_frame section (Linux Standard Base, exception frames), and finds the functions it
 * describes. */
#ifndef SPGC_CODEGEN_EMIT_EH_FRAME_H
#define SPGC_CODEGEN_EMIT_EH_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

/* Calls `found` with each description (FDE) and the function it describes. Errors:
 * SPGC_ERROR_MALFORMED, with the offset; SPGC_ERROR_UNSUPPORTED for a pointer encoding that LLVM
 * does not use on x86-64. */
enum spgc_result spgc_eh_frame_read(const uint8_t *section, size_t size,
                                    void (*found)(void *context, const uint8_t *description,
                                                  uintptr_t function),
                                    void *context, struct spgc_error *error);

#endif
