#ifndef SPGC_CODEGEN_EMIT_OBJECT_FILE_H
#define SPGC_CODEGEN_EMIT_OBJECT_FILE_H

#include <stddef.h>

#include "spgc/result.h"

/* A linker may then leave its absolute relocations to the loader: in a read-only section of a
 * position-independent executable they would be text relocations. */
enum spgc_result spgc_object_file_make_writable(char *object, size_t size, const char *section,
                                                struct spgc_error *error);

/* Makes the section's relocations refer to sections, because the linker or loader may bind global
 * symbols to another module's code. SPGC_ERROR_MALFORMED for a symbol that the object does not
 * define. */
enum spgc_result spgc_object_file_refer_locally(char *object, size_t size, const char *section,
                                                struct spgc_error *error);

#endif
