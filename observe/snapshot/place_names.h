/* The names of the places of a root list: "FUNCTION at SOURCE:LINE (REGISTER)", and of its global
 * variables: "NAME (FILE)". */
#ifndef SPGC_OBSERVE_SNAPSHOT_PLACE_NAMES_H
#define SPGC_OBSERVE_SNAPSHOT_PLACE_NAMES_H

#include "observe/snapshot/root_list.h"

/* Replaces the list's calls with text: what their files' debug information tells, else what the
 * loader knows. Names the variables by the files' symbols, else by their numbers. It opens files,
 * which takes long. */
void spgc_place_names_find(struct spgc_root_list *list);

enum { SPGC_PLACE_NAME_BYTES = 512 };

/* Writes the name of a place. Returns its length. */
size_t spgc_place_name(const struct spgc_root_list *list, size_t place,
                       char text[SPGC_PLACE_NAME_BYTES]);

/* The name of a variable. */
const char *spgc_variable_name(const struct spgc_root_list *list, size_t variable);

#endif
