/* A file that the library writes for people: a trace, a heap snapshot, a profile.
 *
 * It appears whole or not at all: it is written without a name, or under a name of its own beside
 * its destination, and gets the destination's name when it is closed and complete. A file that
 * existed gives it its mode. Links stay, and what they name is replaced. A destination that exists
 * and is no regular file (a pipe, a device), or that has no path (an open file that was removed),
 * is written in place, as fast as its reader reads.
 *
 * Errors are kept until the end, so that a writer need not look at each write. Nothing here
 * allocates from the C library or takes a lock once the file is begun: a forked child may go on
 * with it. A write beyond a limit on file sizes, or to a closed pipe, is an error and no signal.
 */
#ifndef SPGC_OBSERVE_OUTPUT_H
#define SPGC_OBSERVE_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

enum { SPGC_OUTPUT_BUFFER_BYTES = 1 << 16 };

/* Written by the thread that writes the file. */
struct spgc_output {
  int file;         /* its descriptor */
  int error;        /* errno of the first failure; 0: none */
  bool is_in_place; /* the destination is no regular file, or has no path */
  uint64_t bytes;   /* written so far, the buffer included */
  size_t used;      /* bytes of the buffer */
  char destination[PATH_MAX];
  char temporary[PATH_MAX]; /* the file's name until it is complete; empty if it has none */
  char buffer[SPGC_OUTPUT_BUFFER_BYTES];
};

/* Begins a file. In `path`, `%p` stands for the number of the process, and `%%` for `%`. Waits for
 * the reader of a pipe. Returns false if it cannot be written; `output->error` says why, and there
 * is nothing to end then. */
bool spgc_output_begin(struct spgc_output *output, const char *path);

/* Likewise, but the file has the name DESTINATION.PROCESS.part until it is complete. It stays under
 * that name if the process ends without ending the file. A pipe must have a reader: ENXIO. */
bool spgc_output_begin_named(struct spgc_output *output, const char *path);

/* Adds bytes. */
void spgc_output_write(struct spgc_output *output, const void *bytes, size_t size);

/* Adds text. */
void spgc_output_print(struct spgc_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes what the buffer holds. */
void spgc_output_flush(struct spgc_output *output);

/* Ends the file: it gets its name unless there was an error, and then nothing stays of it. Returns
 * whether it is there. */
bool spgc_output_finish(struct spgc_output *output);

/* Ends the file, of which nothing stays. */
void spgc_output_discard(struct spgc_output *output);

/* Fills `error` with "CALL: cannot write PATH: REASON". Returns SPGC_ERROR_SYSTEM. */
enum spgc_result spgc_output_report(const struct spgc_output *output, const char *call,
                                    const char *path, struct spgc_error *error);

#endif
