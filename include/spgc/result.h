/* Results of operations on input that may be wrong: stack maps, options, IR, requests for memory.
 *
 * A function that can get bad input returns `enum spgc_result`, and fills a `struct spgc_error` if
 * the caller passes one. It has no effect unless it returns SPGC_OK. Contradictions inside the
 * library abort the process with file, condition and object, in every build. */
#ifndef SPGC_RESULT_H
#define SPGC_RESULT_H

#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Later releases may add errors, so treat any result other than SPGC_OK as a failure. */
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

/* Bytes of an error's texts, NUL included. */
enum {
  SPGC_ERROR_MESSAGE_SIZE = 512,
  SPGC_ERROR_FILE_SIZE = 256,
  SPGC_ERROR_FUNCTION_SIZE = 128,
  SPGC_ERROR_BLOCK_SIZE = 64,
};

/* The caller owns it, and need not initialise it. A function that fails writes all of it; SPGC_OK
 * leaves it as it is. Absent texts are empty. Its size is fixed, because generated code has such
 * structures: new fields come out of `reserved`. */
struct spgc_error {
  enum spgc_result code;
  uint64_t position;                     /* byte offset into the input, or 0 */
  char message[SPGC_ERROR_MESSAGE_SIZE]; /* one line, no newline */

  /* A place in LLVM IR, if known: in the source, by debug information, or in textual IR that cannot
   * be parsed. */
  uint32_t line, column; /* from 1; 0: unknown */
  uint32_t place_length; /* bytes at the start of `message` that say "FILE:LINE:COLUMN: " */
  uint32_t rule;         /* a row of docs/frontend-rules.md, 1 for R1; 0: none */
  char file[SPGC_ERROR_FILE_SIZE];         /* a long path is "..." and its end */
  char function[SPGC_ERROR_FUNCTION_SIZE]; /* name in the IR, cut at its end */
  char block[SPGC_ERROR_BLOCK_SIZE];       /* name in the IR, or "%N", as LLVM prints it */
  uint8_t reserved[32];
};

/* A constant name, such as "malformed". Never NULL. Any thread, any state. */
const char *spgc_result_name(enum spgc_result result);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
