#ifndef SPGC_SUPPORT_OUTPUT_PLACE_H
#define SPGC_SUPPORT_OUTPUT_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct spgc_output_place {
  char *path; /* the new file's final name, which the caller frees; NULL: written in place */
  bool exists;
  struct stat status; /* the existing file's */
};

/* Returns 0, or an errno with nothing to free. */
int spgc_output_place_find(struct spgc_output_place *place, const char *destination);

#endif
