#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/workloads/environment.h"
#include "bench/workloads/memory_region.h"

enum { REGION_GIB = 64 }; /* of address space; pages are taken when reached */

_Thread_local struct region region;

_Noreturn void region_fail(const char *what) {
  fprintf(stderr, "spgc-workloads: %s\n", what);
  exit(EXIT_FAILURE);
}

static void open_region(void) {
  const size_t bytes = (size_t)REGION_GIB << 30;
  void *start =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    region_fail("no address space for a region");
  region.cursor = start;
  region.end = region.cursor + bytes;
}

void *region_take_array(size_t header, size_t item, uint64_t length) {
  size_t bytes;
  if (__builtin_mul_overflow(item, length, &bytes) || bytes > (size_t)REGION_GIB << 30)
    region_fail("the region is full");
  uint64_t *array = region_take(header + bytes);
  memset(array, 0, header + bytes);
  *array = length;
  return array;
}

uint64_t environment_run(const struct workload *workload, const uint64_t *arguments,
                         struct environment_statistics *statistics) {
  *statistics = (struct environment_statistics){0};
  open_region();
  return workload->run(arguments);
}

void environment_attach(void *base) {
  open_region();
}

void environment_detach(void) {
  region = (struct region){NULL, NULL}; /* other threads may still read what it holds */
}

void environment_block(void *(*function)(void *argument), void *argument) {
  function(argument);
}
