/* The loaded files with type descriptors of objects, so that verification can name one that was
 * unloaded while objects of its types were in memory. */
#ifndef SPGC_GC_PLAN_TYPE_FILES_H
#define SPGC_GC_PLAN_TYPE_FILES_H

#include "heap/check.h"
#include "spgc/result.h"

/* After a successful check, with the world stopped. */
void spgc_type_files_note(const struct spgc_check *check);

/* After a check that failed at an object with this header: if it leads into a noted file that has
 * been unloaded, puts the cause into `error`. */
bool spgc_type_files_explain(const struct spgc_check *check, uintptr_t header,
                             struct spgc_error *error);

#endif
