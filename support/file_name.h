#ifndef SPGC_SUPPORT_FILE_NAME_H
#define SPGC_SUPPORT_FILE_NAME_H

#include <limits.h>
#include <stdbool.h>

/* Those of /proc/self belong to the first thread, and disappear with it. */
#define SPGC_OWN_FILES "/proc/thread-self/"

/* `%p` becomes the process ID, `%%` becomes `%`, and an open file of the process (/dev/stdout,
 * /dev/fd/3, /proc/self/fd/3) gets its name in SPGC_OWN_FILES. False if the name is empty or too
 * long. Safe in a signal handler. */
bool spgc_file_name_expand(char name[PATH_MAX], const char *path);

/* Whether each process has its own file. */
bool spgc_file_name_has_process(const char *path);

#endif
