/* An incremental copying collector of two spaces for one thread. */
#ifndef INCREMENTAL_H
#define INCREMENTAL_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/ref.h"

/* `base` is the frame of a function that calls all managed code. With `always`, every allocation
 * finishes the collection in progress and begins another. */
void heap_start(void *base, bool always);

/* A new object of zeros: a header and `words` words, at least one, of which the first `references`
 * are references. Copies some objects, and may begin a collection, which moves every object that
 * the caller refers to. */
struct spgc_ref allocate(uint32_t words, uint32_t references);

/* The load barrier: the current address of an object to which a field referred by this address.
 * Compiled code calls it after each load of a reference. It moves the object if nothing has. */
struct spgc_ref current_address(struct spgc_ref loaded);

struct heap_counts {
  uint64_t collections;
  uint64_t moved_objects;
  uint64_t moved_by_loads; /* of these */
};
extern struct heap_counts counts;

/* Prints the message and ends the program. */
__attribute__((noreturn)) void fail(const char *message);

#endif
