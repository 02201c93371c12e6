/* A collector of two semispaces for one thread. */
#ifndef SEMISPACE_H
#define SEMISPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/ref.h"

/* `base` is the frame of a function that calls all managed code. With `always`, every allocation
 * collects. */
void heap_start(void *base, bool always);

/* A new object of zeros: a header and `words` words, at least one, of which the first `references`
 * are references. It may collect, which moves every object. */
struct spgc_ref allocate(uint32_t words, uint32_t references);

struct heap_counts {
  uint64_t collections;
  uint64_t moved_objects;
};
extern struct heap_counts counts;

/* Prints the message and ends the program. */
__attribute__((noreturn)) void fail(const char *message);

#endif
