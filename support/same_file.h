#ifndef SPGC_SUPPORT_SAME_FILE_H
#define SPGC_SUPPORT_SAME_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether writing to one path would destroy the other's file. Both must be regular files: devices
 * may be read and written at once. */
static inline bool spgc_same_file(const char *a, const char *b) {
  struct stat left, right;
  return stat(a, &left) == 0 && stat(b, &right) == 0 && S_ISREG(left.st_mode) &&
         left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

#endif
