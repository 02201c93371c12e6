#ifndef SPGC_STACKWALK_LOADED_MAPS_H
#define SPGC_STACKWALK_LOADED_MAPS_H

#include "spgc/stackmap.h"

/* Like spgc_stackmap_register, for a loaded file with its code. SPGC_ERROR_MALFORMED also if the
 * maps do not describe the code (code_check.h). Keeps the file loaded until the maps are
 * unregistered, because the loader lists files for a moment after unmapping them, when their unwind
 * tables cannot be read. */
enum spgc_result spgc_stackmap_register_loaded(const void *section, size_t size,
                                               struct spgc_stackmap **stackmap,
                                               struct spgc_error *error);

#endif
