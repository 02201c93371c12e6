#ifndef SPGC_STACKWALK_LOADED_MAPS_H
#define SPGC_STACKWALK_LOADED_MAPS_H

#include "spgc/stackmap.h"

/* Like spgc_stackmap_register, for a section of a loaded file together with its code.
 * SPGC_ERROR_MALFORMED also if the maps do not describe the code (code_check.h). The file stays
 * loaded until the maps are unregistered: the loader may list a file for a moment after it was
 * unmapped, when its unwind table cannot be read. */
enum spgc_result spgc_stackmap_register_loaded(const void *section, size_t size,
                                               struct spgc_stackmap **stackmap,
                                               struct spgc_error *error);

#endif
