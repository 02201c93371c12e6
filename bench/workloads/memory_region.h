/* One region a thread, filled from the bottom: what was allocated since a point dies at once. Where a workload names no
 * point, nothing dies. The floor for every collector. */
#ifndef BENCH_WORKLOADS_MEMORY_REGION_H
#define BENCH_WORKLOADS_MEMORY_REGION_H

#include <stddef.h>

#define REFERENCE
#define OBJECT_HEADER
#define ARRAY_HEADER uint64_t length;
#define DESCRIBE_OBJECT(name, ...) _Static_assert(sizeof(struct name) != 0, "described")
#define DESCRIBE_DATA_ARRAY(name) DESCRIBE_OBJECT(name, )
#define DESCRIBE_REFERENCE_ARRAY(name) DESCRIBE_OBJECT(name, )

enum { MEMORY_IS_EXPLICIT = 0, REGION_ALIGNMENT = 8 };

/* The calling thread's: [cursor, end) is free. */
struct region {
  char *cursor, *end;
};

extern _Thread_local struct region region;

/* Maps the calling thread's region, or exits when there is one and it is full. */
void region_open(void);

static inline void *region_take(size_t bytes) {
  while (__builtin_expect(bytes > (size_t)(region.end - region.cursor), 0))
    region_open();
  char *object = region.cursor;
  region.cursor += (bytes + REGION_ALIGNMENT - 1) & ~(size_t)(REGION_ALIGNMENT - 1);
  return object;
}

void *region_take_array(size_t header, size_t item, uint64_t length);

typedef char *memory_point;

static inline memory_point memory_now(void) {
  return region_take(0);
}

static inline void memory_release(memory_point point) {
  region.cursor = point;
}

#define NEW(name) ((struct name *)region_take(sizeof(struct name)))
#define NEW_DATA_ARRAY(name, length)                                                                                   \
  ((struct name *)region_take_array(sizeof(struct name), sizeof *((struct name *)0)->items, (length)))
#define NEW_REFERENCE_ARRAY(name, length) NEW_DATA_ARRAY(name, length)
#define DROP(object) ((void)(object))

#endif
