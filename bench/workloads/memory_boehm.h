/* The Boehm collector, told which arrays hold no references. */
#ifndef BENCH_WORKLOADS_MEMORY_BOEHM_H
#define BENCH_WORKLOADS_MEMORY_BOEHM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gc.h>

#include "bench/workloads/memory_plain.h"

enum { MEMORY_IS_EXPLICIT = 0 };

static inline void *memory_or_exit(void *memory) {
  if (__builtin_expect(memory == NULL, 0)) {
    fputs("spgc-workloads: out of memory\n", stderr);
    exit(EXIT_FAILURE);
  }
  return memory;
}

static inline void *memory_data_array(size_t header, size_t item, uint64_t length) {
  uint64_t *array = memory_or_exit(GC_MALLOC_ATOMIC(header + item * length));
  memset(array, 0, header + item * length);
  *array = length;
  return array;
}

static inline void *memory_reference_array(size_t header, size_t item, uint64_t length) {
  uint64_t *array = memory_or_exit(GC_MALLOC(header + item * length));
  *array = length;
  return array;
}

#define NEW(name) ((struct name *)memory_or_exit(GC_MALLOC(sizeof(struct name))))
#define NEW_DATA_ARRAY(name, length)                                                               \
  ((struct name *)memory_data_array(sizeof(struct name), sizeof *((struct name *)0)->items,        \
                                    (length)))
#define NEW_REFERENCE_ARRAY(name, length)                                                          \
  ((struct name *)memory_reference_array(sizeof(struct name), sizeof *((struct name *)0)->items,   \
                                         (length)))
#define DROP(object) ((void)(object))

#endif
