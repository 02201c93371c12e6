/* A growing array of plain structures, used while a stack map is parsed.
 *
 * Invariant: count <= capacity; the first `count` elements of `data` are initialised.
 */
#ifndef SPGC_STACKWALK_ARRAY_H
#define SPGC_STACKWALK_ARRAY_H

#include <stddef.h>

struct array {
  void *data;
  size_t count;
  size_t capacity;
  size_t element_size; /* set once, before the first append */
};

/* Room for `more` elements after the last one, zeroed and counted; NULL when out of memory (the array is unchanged). */
void *spgc_array_append(struct array *array, size_t more);

/* Forgets every element and gives the memory back. */
void spgc_array_free(struct array *array);

#endif
