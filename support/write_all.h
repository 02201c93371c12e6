#ifndef SPGC_SUPPORT_WRITE_ALL_H
#define SPGC_SUPPORT_WRITE_ALL_H

#include <stddef.h>

/* Returns 0 or an errno. A write beyond a limit on file sizes, or to a closed pipe, is an error,
 * not a signal. */
int spgc_write_all(int file, const void *bytes, size_t size);

#endif
