#include "tools/heap/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/heap/command.h"

_Noreturn void memory_exhausted(size_t bytes) {
  fprintf(stderr, "spgc-heap: out of memory: cannot allocate %zu bytes\n", bytes);
  exit(EXIT_REFUSED);
}

static void *checked(void *memory, size_t count, size_t size) {
  size_t bytes;
  if (memory == NULL)
    memory_exhausted(__builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes);
  return memory;
}

void *memory_zeroed(size_t count, size_t size) {
  return checked(calloc(count == 0 ? 1 : count, size), count, size);
}

static void *take(size_t bytes) {
  return memory_zeroed(bytes, 1);
}

static void give(void *memory, size_t bytes) {
  free(memory);
}

const struct spgc_hash_memory memory_of_index = {take, give};

void *memory_array(size_t count, size_t size) {
  return memory_resized(NULL, count, size);
}

void *memory_resized(void *old, size_t count, size_t size) {
  return checked(reallocarray(old, count == 0 ? 1 : count, size), count, size);
}
