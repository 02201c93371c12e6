/* The few things the library reads and changes in an ELF object it emitted (System V ABI, x86-64,
 * relocatable). */
#ifndef SPGC_CODEGEN_EMIT_OBJECT_FILE_H
#define SPGC_CODEGEN_EMIT_OBJECT_FILE_H

#include <stddef.h>

#include "spgc/result.h"

/* Makes the section writable, so that a linker may leave its absolute relocations to the loader:
 * read-only, they would be text relocations in a position-independent executable. An object without
 * the section is left as it is. */
enum spgc_result spgc_object_file_make_writable(char *object, size_t size, const char *section,
                                                struct spgc_error *error);

/* Makes the section's relocations refer to the sections of what they mean, and no longer to global
 * symbols: those the linker or the loader may give to the code of another module. Errors:
 * SPGC_ERROR_MALFORMED for a relocation that names nothing the object defines. An object without
 * the section is left as it is. */
enum spgc_result spgc_object_file_refer_locally(char *object, size_t size, const char *section,
                                                struct spgc_error *error);

/* Name of one symbol the object defines and exports, inside `object`; NULL when there is none. */
enum spgc_result spgc_object_file_exported_symbol(const char *object, size_t size,
                                                  const char **name, struct spgc_error *error);

#endif
