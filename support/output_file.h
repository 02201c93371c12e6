/* A file that appears whole or not at all: written under a temporary name beside its destination,
 * and renamed when complete. An unfinished file is removed when the process ends, even by SIGKILL
 * (support/file_guard.h).
 *
 * It takes a replaced file's mode, and its owners if the system permits. Other hard links keep the
 * old file. Symbolic links stay, and the file they name is replaced. A destination that is not a
 * regular file (a device, a pipe), or has no path (a removed file behind /dev/stdout), is written
 * in place. */
#ifndef SPGC_SUPPORT_OUTPUT_FILE_H
#define SPGC_SUPPORT_OUTPUT_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "support/file_guard.h"

struct spgc_output_file {
  char *path;        /* write it before spgc_output_file_finish */
  char *destination; /* NULL: the file will be discarded */
  bool is_in_place;  /* the complete file is copied to its destination */
  bool replaces;     /* a file, whose status is `replaced` */
  struct stat replaced;
  struct spgc_file_guard guard;
};

/* Creates nothing. Returns 0, or an errno with nothing to finish or discard. */
int spgc_output_file_begin(struct spgc_output_file *output, const char *destination);

/* In the folder for temporary files, ending in `suffix`. It must be discarded. */
int spgc_output_file_begin_temporary(struct spgc_output_file *output, const char *suffix);

int spgc_output_file_write(const struct spgc_output_file *output, const char *bytes, size_t size);

/* Ends `output` in any case. Returns 0 or an errno. */
int spgc_output_file_finish(struct spgc_output_file *output);
void spgc_output_file_discard(struct spgc_output_file *output);

/* All of the above. Returns 0 or an errno. */
int spgc_output_file_put(const char *destination, const char *bytes, size_t size);

/* Writes beyond the limit on file sizes then fail, as on a full disk. By default SIGXFSZ ends the
 * process, or the linker that it started. Call it once, in main. Needs no library. */
static inline void spgc_output_file_size_limit_is_error(void) {
  signal(SIGXFSZ, SIG_IGN);
}

#endif
