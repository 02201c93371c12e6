/* An output file: a trace, a heap snapshot or a profile.
 *
 * It appears whole or not at all, and replaces its destination as support/output_file.h says, but
 * is written without a name if possible, and directly to a pipe or device.
 *
 * Errors are kept until the end. After the file is begun, nothing calls malloc or takes a lock, so
 * a forked child may continue with it. Writes raise no signal (support/write_all.h). */
#ifndef SPGC_OBSERVE_OUTPUT_H
#define SPGC_OBSERVE_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

enum { SPGC_OUTPUT_BUFFER_BYTES = 1 << 16 };

struct spgc_output {
  int file;
  int error;        /* errno of the first failure, or 0 */
  bool is_in_place; /* the destination is not a regular file, or has no path */
  uint64_t bytes;   /* the buffer included */
  size_t used;
  char destination[PATH_MAX];
  char temporary[PATH_MAX]; /* empty, or its name until the file is complete */
  char buffer[SPGC_OUTPUT_BUFFER_BYTES];
};

/* In `path`, `%p` becomes the process ID, and `%%` becomes `%`. Waits for a pipe's reader. Returns
 * false with `output->error` on failure; the file must not be ended then. */
bool spgc_output_begin(struct spgc_output *output, const char *path);

/* The file is DESTINATION.PROCESS.part until it is complete, also if the process ends without
 * ending it. ENXIO for a pipe without a reader. */
bool spgc_output_begin_named(struct spgc_output *output, const char *path);

void spgc_output_write(struct spgc_output *output, const void *bytes, size_t size);

void spgc_output_print(struct spgc_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

void spgc_output_flush(struct spgc_output *output);

/* Names the file, or removes it after an error. Returns whether it exists. */
bool spgc_output_finish(struct spgc_output *output);
void spgc_output_discard(struct spgc_output *output);

/* "CALL: cannot write PATH: REASON". Returns SPGC_ERROR_SYSTEM. */
enum spgc_result spgc_output_report(const struct spgc_output *output, const char *call,
                                    const char *path, struct spgc_error *error);

#endif
