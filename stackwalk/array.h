/* Invariant: count <= capacity; the first `count` elements are initialised. */
#ifndef SPGC_STACKWALK_ARRAY_H
#define SPGC_STACKWALK_ARRAY_H

#include <stddef.h>

struct array {
  void *data;
  size_t count;
  size_t capacity;
  size_t element_size;
};

/* The elements are zeroed; NULL if there is no memory. */
void *spgc_array_append(struct array *array, size_t more);

/* The caller must initialise the elements. */
static inline void *array_extend(struct array *array, size_t more) {
  if (array->data == NULL || more > array->capacity - array->count)
    return spgc_array_append(array, more);
  void *first = (unsigned char *)array->data + array->count * array->element_size;
  array->count += more;
  return first;
}

void spgc_array_trim(struct array *array);

void spgc_array_free(struct array *array);

#endif
