/* The executable and the shared libraries of the process, for modules of generated code. */
#ifndef SPGC_GC_ROOTS_LOADED_OBJECT_H
#define SPGC_GC_ROOTS_LOADED_OBJECT_H

#include <stddef.h>

/* Bytes from the address to the end of the loaded segment that holds it; 0 when none does. */
size_t spgc_loaded_bytes(const void *address);

/* Keeps the library that holds the address loaded until the process ends, even if it is closed. The
 * caller holds no lock that constructors or destructors take. */
void spgc_loaded_keep(const void *address);

#endif
