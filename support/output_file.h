/* A file that appears whole or not at all.
 *
 * It is written under a name of its own beside its destination and renamed when it is complete, so
 * that a reader, or another process that writes the same file, never meets half of it. Whatever
 * ends the process, the unfinished file is removed (support/file_guard.h).
 *
 * A destination that exists and is no regular file (a device, a pipe) is written in place.
 */
#ifndef SPGC_SUPPORT_OUTPUT_FILE_H
#define SPGC_SUPPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/file_guard.h"

struct spgc_output_file {
  char *path;        /* where to write until spgc_output_file_finish */
  char *destination; /* NULL: none; then the file is discarded, or is written in place */
  bool is_in_place;
  struct spgc_file_guard guard; /* unless in place */
};

/* Chooses `path`; creates nothing. Returns 0 or an errno value; then there is nothing to end. */
int spgc_output_file_begin(struct spgc_output_file *output, const char *destination);

/* The same in the folder for temporary files, with that end of its name, for a file that is removed
 * when it is discarded. */
int spgc_output_file_begin_temporary(struct spgc_output_file *output, const char *suffix);

/* Creates the file with these bytes. Returns 0 or an errno value. */
int spgc_output_file_write(const struct spgc_output_file *output, const char *bytes, size_t size);

/* Puts what is at `path` in its destination. Ends `output` in any case. Returns 0 or an errno
 * value. */
int spgc_output_file_finish(struct spgc_output_file *output);

/* Removes what was written. */
void spgc_output_file_discard(struct spgc_output_file *output);

/* All of that with these bytes. Returns 0 or an errno value. */
int spgc_output_file_put(const char *destination, const char *bytes, size_t size);

/* Writes beyond a limit on the size of files then fail, as they do on a full disk; by default the
 * system ends the process, or the linker that it started, with SIGXFSZ. Call once, in main. */
void spgc_output_file_size_limit_is_error(void);

#endif
