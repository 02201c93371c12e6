#include "gc/observe/mapped_array.h"

#include <stdint.h>
#include <string.h>

#include "heap/memory.h"

enum { LEAST_BYTES = 1 << 16 };

static bool grow(struct spgc_mapped_array *array, size_t needed) {
  size_t capacity = array->capacity == 0 ? LEAST_BYTES : array->capacity;
  while (capacity < needed) {
    if (capacity > SIZE_MAX / 2)
      return false;
    capacity *= 2;
  }
  unsigned char *bytes = spgc_memory_map(capacity);
  if (bytes == NULL)
    return false;
  if (array->bytes != NULL) {
    memcpy(bytes, array->bytes, array->used);
    spgc_memory_unmap(array->bytes, array->capacity);
  }
  array->bytes = bytes;
  array->capacity = capacity;
  return true;
}

void *spgc_mapped_array_add(struct spgc_mapped_array *array, size_t bytes) {
  if (bytes > SIZE_MAX - array->used)
    return NULL;
  bool fits = array->bytes != NULL && array->used + bytes <= array->capacity;
  if (!fits && !grow(array, array->used + bytes))
    return NULL;
  void *added = array->bytes + array->used;
  array->used += bytes;
  return added;
}

void spgc_mapped_array_free(struct spgc_mapped_array *array) {
  if (array->bytes != NULL)
    spgc_memory_unmap(array->bytes, array->capacity);
  *array = (struct spgc_mapped_array){0};
}
