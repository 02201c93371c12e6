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

/* Appends `more` zeroed elements and returns the first of them; NULL when out of memory (the array
 * is unchanged). */
void *spgc_array_append(struct array *array, size_t more);

/* The same, but the new elements are not initialised: the caller must write all of them. */
static inline void *array_extend(struct array *array, size_t more) {
  if (array->data == NULL || more > array->capacity - array->count)
    return spgc_array_append(array, more);
  void *first = (unsigned char *)array->data + array->count * array->element_size;
  array->count += more;
  return first;
}

/* Frees the memory beyond the last element. */
void spgc_array_trim(struct array *array);

/* Removes all elements and frees the memory. */
void spgc_array_free(struct array *array);

#endif
