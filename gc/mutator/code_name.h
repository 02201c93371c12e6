/* What code is called, found without the loader's lock: a thread that waits for the calling one may
 * hold it, inside dlopen. */
#ifndef SPGC_GC_MUTATOR_CODE_NAME_H
#define SPGC_GC_MUTATOR_CODE_NAME_H

#include <stddef.h>
#include <stdint.h>

/* "FUNCTION (FILE+0xOFFSET)" of an instruction, as far as they are known; like dladdr, exported
 * functions are. The code stays loaded meanwhile. */
void spgc_code_describe(uintptr_t instruction, char *text, size_t size);

#endif
