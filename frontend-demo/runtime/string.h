/* Strings: immutable bytes, in two forms.
 *
 *   flat    header, length; then the bytes
 *   slice   header, length, buffer: the first `length` bytes of a buffer
 *
 * Invariants: a buffer's first `used` bytes never change; equal strings of at most one byte are one
 * object, which generated code relies on. The slice that ends at the used bytes may take the
 * following ones. So `s = s + t` in a loop copies s only when its buffer is full, and older values
 * of s keep their bytes. */
#ifndef LOX_RUNTIME_STRING_H
#define LOX_RUNTIME_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/runtime/value.h"

struct lox_flat_string {
  const struct lox_type *type;
  uint64_t length;
  char bytes[];
};

struct lox_slice {
  const struct lox_type *type;
  uint64_t length; /* <= used of the buffer */
  struct spgc_ref buffer;
};

struct lox_string_buffer {
  const struct lox_type *type;
  uint64_t capacity;
  uint64_t used; /* <= capacity; only grows */
  char bytes[];
};

_Static_assert(offsetof(struct lox_flat_string, length) == LOX_STRING_LENGTH, "string layout");
_Static_assert(offsetof(struct lox_slice, length) == LOX_STRING_LENGTH,
               "both forms keep their length in one place");
_Static_assert(offsetof(struct lox_flat_string, bytes) == LOX_STRING_BYTES, "string layout");
_Static_assert(offsetof(struct lox_slice, buffer) == LOX_SLICE_BUFFER, "slice layout");
_Static_assert(offsetof(struct lox_string_buffer, bytes) == LOX_BUFFER_BYTES, "buffer layout");

extern struct lox_type lox_string_buffer_type;

static inline bool lox_is_string(struct spgc_ref value) {
  return lox_is_kind(value, LOX_OBJECT_STRING);
}

static inline uint64_t lox_string_length(struct spgc_ref string) {
  return ((const struct lox_flat_string *)spgc_ref_memory(string))->length;
}

/* Not NUL-terminated. Valid until the next safepoint. */
static inline const char *lox_string_bytes(struct spgc_ref string) {
  if (lox_type_of(string) == &lox_string_type)
    return ((const struct lox_flat_string *)spgc_ref_memory(string))->bytes;
  const struct lox_slice *slice = spgc_ref_memory(string);
  return ((const struct lox_string_buffer *)spgc_ref_memory(slice->buffer))->bytes;
}

/* Copies bytes from outside the heap. A safepoint. */
struct spgc_ref lox_string_make(const char *bytes, uint64_t length);

/* Reads to the file's end; nil if it cannot be read. Only the heap's limit ends an endless file. A
 * safepoint. */
struct spgc_ref lox_string_read(FILE *file);

/* start <= end <= length. A safepoint. */
struct spgc_ref lox_string_part(struct spgc_ref string, uint64_t start, uint64_t end);

/* A safepoint. */
struct spgc_ref lox_string_concatenate(struct spgc_ref a, struct spgc_ref b);

bool lox_string_equal(struct spgc_ref a, struct spgc_ref b);

#endif
