#include "gc/observe/trace_array.h"

#include <sys/mman.h>

enum { FIRST_BYTES = 1 << 14 };

bool spgc_trace_array_reserve(struct spgc_trace_array *array, size_t bytes) {
  if (bytes <= array->bytes)
    return true;
  size_t wanted = array->bytes == 0 ? FIRST_BYTES : array->bytes * 2;
  while (wanted < bytes)
    wanted *= 2;
  void *items = array->items == NULL
                    ? mmap(NULL, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                    : mremap(array->items, array->bytes, wanted, MREMAP_MAYMOVE);
  if (items == MAP_FAILED)
    return false;
  *array = (struct spgc_trace_array){items, wanted};
  return true;
}

void spgc_trace_array_free(struct spgc_trace_array *array) {
  if (array->items != NULL)
    munmap(array->items, array->bytes);
  *array = (struct spgc_trace_array){NULL, 0};
}
