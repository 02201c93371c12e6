#include "observe/mapped_array.h"

#include <stdint.h>

#include "heap/memory.h"

enum { LEAST_BYTES = 1 << 16 };

const struct spgc_hash_memory spgc_mapped_memory = {spgc_memory_map, spgc_memory_unmap};

bool spgc_mapped_array_reserve(struct spgc_mapped_array *array, size_t needed) {
  if (array->bytes != NULL && needed <= array->capacity)
    return true;
  size_t capacity = array->capacity == 0 ? LEAST_BYTES : array->capacity;
  while (capacity < needed) {
    if (capacity > SIZE_MAX / 2)
      return false;
    capacity *= 2;
  }
  unsigned char *bytes = array->bytes == NULL
                             ? spgc_memory_map(capacity)
                             : spgc_memory_enlarge(array->bytes, array->capacity, capacity);
  if (bytes == NULL)
    return false;
  array->bytes = bytes;
  array->capacity = capacity;
  return true;
}

void *spgc_mapped_array_add(struct spgc_mapped_array *array, size_t bytes) {
  if (bytes > SIZE_MAX - array->used || !spgc_mapped_array_reserve(array, array->used + bytes))
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
