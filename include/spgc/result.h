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

/* The result of a call. Later releases may add errors, so treat any result other than SPGC_OK as a
 * failure. */
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

/* Bytes of the texts of an error, with their NUL. */
enum {
  SPGC_ERROR_MESSAGE_SIZE = 512,
  SPGC_ERROR_FILE_SIZE = 256,
  SPGC_ERROR_FUNCTION_SIZE = 128,
  SPGC_ERROR_BLOCK_SIZE = 64,
};

/* The caller owns it, and need not initialise it. A function that returns SPGC_OK leaves it as it
 * is; one that fails writes all of it. Each text ends in NUL, and is empty if there is none. Its
 * size is fixed, because generated code also has one: new fields come out of `reserved`. */
struct spgc_error {
  enum spgc_result code;
  uint64_t position;                     /* byte offset into the input; 0 if there is none */
  char message[SPGC_ERROR_MESSAGE_SIZE]; /* one line, no newline */

  /* The place in a program that the message is about, where the input is LLVM IR and the place is
   * known: in the source, by debug information, or in textual IR that cannot be parsed. */
  uint32_t line, column; /* from 1; 0: not known */
  uint32_t place_length; /* bytes at the start of `message` that say "FILE:LINE:COLUMN: " */
  uint32_t rule;         /* a row of docs/frontend-rules.md, 1 for R1; 0: none */
  char file[SPGC_ERROR_FILE_SIZE];         /* of a long path, "..." and the end */
  char function[SPGC_ERROR_FUNCTION_SIZE]; /* its name in the IR; of a long one, the start */
  char block[SPGC_ERROR_BLOCK_SIZE];       /* its name in the IR, or "%N", as LLVM prints it */
  uint8_t reserved[32];
};

/* A short constant name for a result, e.g. "malformed". Any thread, any state. Never NULL. */
const char *spgc_result_name(enum spgc_result result);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
