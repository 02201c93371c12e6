/* Where the bytes for a destination go, so that a complete file can take its place.
 *
 * Symbolic links stay, and what they name is replaced. A destination that exists and is not a
 * regular file (a device, a pipe), or that has no path (an open file that was removed, behind
 * /dev/stdout), is written itself.
 */
#ifndef SPGC_SUPPORT_OUTPUT_PLACE_H
#define SPGC_SUPPORT_OUTPUT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct spgc_output_place {
  char *path; /* a new file is renamed to this, which is no symbolic link; NULL: the destination is
                 written itself. The caller frees it. */
  bool exists;
  struct stat status; /* of the file that exists */
};

/* Returns 0, or the errno of what forbids to write there; there is nothing to free then. */
int spgc_output_place_find(struct spgc_output_place *place, const char *destination);

#endif
