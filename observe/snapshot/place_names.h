/* Names of places, "FUNCTION at SOURCE:LINE (REGISTER)", and of global variables, "NAME (FILE)". */
#ifndef SPGC_OBSERVE_SNAPSHOT_PLACE_NAMES_H
#define SPGC_OBSERVE_SNAPSHOT_PLACE_NAMES_H

#include "observe/snapshot/root_list.h"

/* Finds calls in debug information or from the loader, and variables in symbol tables or by number.
 * Opening files takes long. */
void spgc_place_names_find(struct spgc_root_list *list);

enum { SPGC_PLACE_NAME_BYTES = 512 };

/* Returns the length. */
size_t spgc_place_name(const struct spgc_root_list *list, size_t place,
                       char text[SPGC_PLACE_NAME_BYTES]);

const char *spgc_variable_name(const struct spgc_root_list *list, size_t variable);

#endif
