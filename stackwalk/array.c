#include "stackwalk/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

static size_t capacity_for(const struct array *array, size_t needed) {
  size_t doubled = array->capacity > SIZE_MAX / 2 ? SIZE_MAX : array->capacity * 2;
  size_t capacity = doubled > FIRST_CAPACITY ? doubled : FIRST_CAPACITY;
  return capacity > needed ? capacity : needed;
}

void *spgc_array_append(struct array *array, size_t more) {
  if (more > SIZE_MAX - array->count)
    return NULL;
  size_t needed = array->count + more;
  if (needed > array->capacity || array->data == NULL) {
    size_t capacity = capacity_for(array, needed);
    void *data = reallocarray(array->data, capacity, array->element_size);
    if (data == NULL)
      return NULL;
    array->data = data;
    array->capacity = capacity;
  }
  unsigned char *first = (unsigned char *)array->data + array->count * array->element_size;
  memset(first, 0, more * array->element_size);
  array->count = needed;
  return first;
}

void spgc_array_trim(struct array *array) {
  if (array->count == 0) {
    spgc_array_free(array);
    return;
  }
  void *data = reallocarray(array->data, array->count, array->element_size);
  if (data == NULL)
    return;
  array->data = data;
  array->capacity = array->count;
}

void spgc_array_free(struct array *array) {
  free(array->data);
  array->data = NULL;
  array->count = 0;
  array->capacity = 0;
}
