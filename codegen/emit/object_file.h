#ifndef SPGC_CODEGEN_EMIT_OBJECT_FILE_H
#define SPGC_CODEGEN_EMIT_OBJECT_FILE_H

#include <stddef.h>

#include "spgc/result.h"

/* A linker may then leave absolute relocations to the loader: in a read-only section of a
 * position-independent executable they would be text relocations. */
enum spgc_result spgc_object_file_make_writable(char *object, size_t size, const char *section,
                                                struct spgc_error *error);

/* The section's relocations then refer to sections, because the linker or loader may bind global
 * symbols to another module's code. SPGC_ERROR_MALFORMED for an undefined symbol. */
enum spgc_result spgc_object_file_refer_locally(char *object, size_t size, const char *section,
                                                struct spgc_error *error);

#endif
