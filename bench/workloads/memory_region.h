/* One region for each thread: all that was allocated since a point dies at once. No collector can
 * be faster. */
#ifndef BENCH_WORKLOADS_MEMORY_REGION_H
#define BENCH_WORKLOADS_MEMORY_REGION_H

#include <stddef.h>
#include <stdint.h>

#include "bench/workloads/memory_plain.h"

enum { MEMORY_IS_EXPLICIT = 0, REGION_ALIGNMENT = 8 };

/* The calling thread's: [cursor, end) is free. */
struct region {
  char *cursor, *end;
};

extern _Thread_local struct region region;

_Noreturn void region_fail(const char *what);

static inline void *region_take(size_t bytes) {
  if (__builtin_expect(bytes > (size_t)(region.end - region.cursor), 0))
    region_fail("the region is full");
  char *object = region.cursor;
  region.cursor += (bytes + REGION_ALIGNMENT - 1) & ~(size_t)(REGION_ALIGNMENT - 1);
  return object;
}

void *region_take_array(size_t header, size_t item, uint64_t length);

typedef char *memory_point;

static inline memory_point memory_now(void) {
  return region.cursor;
}

static inline void memory_release(memory_point point) {
  region.cursor = point;
}

#define NEW(name) ((struct name *)region_take(sizeof(struct name)))
#define NEW_DATA_ARRAY(name, length)                                                               \
  ((struct name *)region_take_array(sizeof(struct name), sizeof *((struct name *)0)->items,        \
                                    (length)))
#define NEW_REFERENCE_ARRAY(name, length) NEW_DATA_ARRAY(name, length)
#define DROP(object) ((void)(object))

#endif
