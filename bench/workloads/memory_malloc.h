/* malloc, and free where the workload knows that an object dies. */
#ifndef BENCH_WORKLOADS_MEMORY_MALLOC_H
#define BENCH_WORKLOADS_MEMORY_MALLOC_H

#include <stdio.h>
#include <stdlib.h>

#include "bench/workloads/memory_plain.h"

enum { MEMORY_IS_EXPLICIT = 1 };

static inline void *memory_or_exit(void *memory) {
  if (__builtin_expect(memory == NULL, 0)) {
    fputs("spgc-workloads: out of memory\n", stderr);
    exit(EXIT_FAILURE);
  }
  return memory;
}

static inline void *memory_array(size_t header, size_t item, uint64_t length) {
  uint64_t *array = memory_or_exit(calloc(1, header + item * length));
  *array = length;
  return array;
}

#define NEW(name) ((struct name *)memory_or_exit(malloc(sizeof(struct name))))
#define NEW_DATA_ARRAY(name, length)                                                               \
  ((struct name *)memory_array(sizeof(struct name), sizeof *((struct name *)0)->items, (length)))
#define NEW_REFERENCE_ARRAY(name, length) NEW_DATA_ARRAY(name, length)
#define DROP(object) free(object)

#endif
