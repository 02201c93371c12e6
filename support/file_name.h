/* Names of files: in options, and the process's own. */
#ifndef SPGC_SUPPORT_FILE_NAME_H
#define SPGC_SUPPORT_FILE_NAME_H

#include <limits.h>
#include <stdbool.h>

/* The process's own files in /proc, as the calling thread sees them: its open files, its memory and
 * its executable. Those of /proc/self are the first thread's, and gone once it has ended. */
#define SPGC_OWN_FILES "/proc/thread-self/"

/* Writes `path` with the number of the process for `%p`, and `%` for `%%`. An open file of the
 * process (/dev/stdout, /dev/fd/3, /proc/self/fd/3) gets its name of SPGC_OWN_FILES. Returns false
 * if the name is empty or does not fit. Safe in a signal handler. */
bool spgc_file_name_expand(char name[PATH_MAX], const char *path);

/* Whether the path names another file in each process. */
bool spgc_file_name_has_process(const char *path);

#endif
