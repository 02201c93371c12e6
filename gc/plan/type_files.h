/* Loaded files with type descriptors, so that verification can name one that was unloaded before
 * its objects died. */
#ifndef SPGC_GC_PLAN_TYPE_FILES_H
#define SPGC_GC_PLAN_TYPE_FILES_H

#include "heap/check.h"
#include "spgc/result.h"

/* Called after a successful check, with the world stopped. */
void spgc_type_files_note(const struct spgc_check *check);

/* Called after a check that failed at an object with this header: if it leads into a noted file
 * that was unloaded, `error` says so. */
bool spgc_type_files_explain(const struct spgc_check *check, uintptr_t header,
                             struct spgc_error *error);

#endif
