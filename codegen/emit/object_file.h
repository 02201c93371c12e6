/* Reads and changes an ELF object that the library emitted (System V ABI, x86-64, relocatable). */
#ifndef SPGC_CODEGEN_EMIT_OBJECT_FILE_H
#define SPGC_CODEGEN_EMIT_OBJECT_FILE_H

#include <stddef.h>

#include "spgc/result.h"

/* Makes the section writable, so that a linker may leave its absolute relocations to the loader. In
 * a read-only section of a position-independent executable they would be text relocations. An
 * object without the section does not change. */
enum spgc_result spgc_object_file_make_writable(char *object, size_t size, const char *section,
                                                struct spgc_error *error);

/* Makes the section's relocations refer to sections instead of global symbols, which the linker or
 * the loader may bind to the code of another module. Errors: SPGC_ERROR_MALFORMED for a symbol that
 * the object does not define. An object without the section does not change. */
enum spgc_result spgc_object_file_refer_locally(char *object, size_t size, const char *section,
                                                struct spgc_error *error);

#endif
