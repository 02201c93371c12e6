/* The loaded files that hold type descriptors of objects, noted by verification, so that it can say
 * which file was unloaded while objects of its types were in memory. */
#ifndef SPGC_GC_PLAN_TYPE_FILES_H
#define SPGC_GC_PLAN_TYPE_FILES_H

#include "heap/check.h"
#include "spgc/result.h"

/* Notes the files after a run of the check that succeeded. The world is stopped. */
void spgc_type_files_note(const struct spgc_check *check);

/* After a run that failed at an object with this header: puts the cause into `error` if the header
 * leads into a file that was noted and has been unloaded since. Returns whether it did. */
bool spgc_type_files_explain(const struct spgc_check *check, uintptr_t header,
                             struct spgc_error *error);

#endif
