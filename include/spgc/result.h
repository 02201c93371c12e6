/* Results of operations on input that may be wrong: stack maps, options, IR, requests for memory.
 *
 * A function that can get bad input returns `enum spgc_result`, and fills a `struct spgc_error` if
 * the caller passes one. It has no effect unless it returns SPGC_OK. Contradictions inside the
 * library are not results: they abort the process with file, condition and object, in every build.
 */
#ifndef SPGC_RESULT_H
#define SPGC_RESULT_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum spgc_result {
  SPGC_OK = 0,
  SPGC_ERROR_MALFORMED,   /* the input contradicts its own format */
  SPGC_ERROR_UNSUPPORTED, /* well formed, but of a version or kind that the library does not handle
                           */
  SPGC_ERROR_INVALID_ARGUMENT, /* an argument or option outside its documented range */
  SPGC_ERROR_NO_MEMORY,        /* the system or the heap limit refused memory */
  SPGC_ERROR_STATE,    /* not allowed in the current state (not started, not attached, ...) */
  SPGC_ERROR_REJECTED, /* IR whose lowering would lose references; the message names place and
                          remedy */
  SPGC_ERROR_SYSTEM,   /* an operation on a file, or of the linker or loader, failed */
};

enum { SPGC_ERROR_MESSAGE_SIZE = 512 };

struct spgc_error {
  enum spgc_result code;
  uint64_t position; /* byte offset into the input that the message is about; 0 if there is none */
  char message[SPGC_ERROR_MESSAGE_SIZE]; /* one line, NUL-terminated, no newline */
};

/* A short constant name for a result, e.g. "malformed". Any thread, any state. Never NULL. */
const char *spgc_result_name(enum spgc_result result);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
