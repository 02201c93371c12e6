/* The strings of a snapshot, numbered as in the file. */
#ifndef SPGC_TOOLS_HEAP_STRINGS_H
#define SPGC_TOOLS_HEAP_STRINGS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "support/hash_index.h"

/* No string, node or pattern. */
#define NO_NUMBER UINT32_MAX

_Static_assert(NO_NUMBER == SPGC_HASH_MISSING, "an index tells so of what is missing");

/* string i = bytes + starts[i] .. bytes + starts[i + 1] - 1 (a NUL); starts[count] == size
 * first[i] <= i, and first[first[i]] == first[i]: the number of the first equal string */
struct strings {
  char *bytes;
  size_t size, byte_capacity;
  size_t *starts;
  uint32_t *first;
  uint32_t count;
  size_t capacity;
  struct spgc_hash_index index; /* has the first of equal strings */
};

/* A NUL becomes the bytes C0 80, as in Java's modified UTF-8, so that each string ends at its first
 * NUL. There must be fewer than NO_NUMBER strings. */
void strings_add(struct strings *strings, const void *bytes, size_t length);

/* The first equal string, or NO_NUMBER. */
uint32_t strings_find(const struct strings *strings, const char *text);

/* Returns the first equal string, added if new. */
uint32_t strings_intern(struct strings *strings, const char *text);

static inline const char *strings_text(const struct strings *strings, uint32_t number) {
  return strings->bytes + strings->starts[number];
}

void strings_print(FILE *out, const char *text);

void strings_free(struct strings *strings);

#endif
