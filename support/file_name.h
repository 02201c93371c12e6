/* Names of files in options. */
#ifndef SPGC_SUPPORT_FILE_NAME_H
#define SPGC_SUPPORT_FILE_NAME_H

#include <limits.h>
#include <stdbool.h>

/* Writes `path` with the number of the process for `%p`, and `%` for `%%`. Returns false if the
 * name is empty or does not fit. Safe in a signal handler. */
bool spgc_file_name_expand(char name[PATH_MAX], const char *path);

/* Whether the path names another file in each process. */
bool spgc_file_name_has_process(const char *path);

#endif
