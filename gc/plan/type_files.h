/* The loaded files with type descriptors of objects, noted by verification so that it can name a
 * file that was unloaded while objects of its types were in memory. */
#ifndef SPGC_GC_PLAN_TYPE_FILES_H
#define SPGC_GC_PLAN_TYPE_FILES_H

#include "heap/check.h"
#include "spgc/result.h"

/* After a run of the check that succeeded. The world is stopped. */
void spgc_type_files_note(const struct spgc_check *check);

/* After a run that failed at an object with this header: if the header leads into a noted file that
 * has been unloaded since, puts the cause into `error` and returns true. */
bool spgc_type_files_explain(const struct spgc_check *check, uintptr_t header,
                             struct spgc_error *error);

#endif
