/* Memory for workloads, of four kinds: the moving collector, malloc with free, the Boehm collector,
 * and a region.
 *
 *   REFERENCE                    qualifies what a reference points to: struct node REFERENCE *
 *   OBJECT_HEADER, ARRAY_HEADER  first in each structure, without a semicolon
 *   DESCRIBE_OBJECT(node, left, right)         its fields that hold references
 *   DESCRIBE_DATA_ARRAY(numbers)               a structure that ends with items[]
 *   DESCRIBE_REFERENCE_ARRAY(slots)            the same
 *   NEW(node)                                  the caller must set all fields
 *   NEW_DATA_ARRAY(numbers, length)            items are zero
 *   NEW_REFERENCE_ARRAY(slots, length)         the same
 *   DROP(object)                               it dies; has an effect if MEMORY_IS_EXPLICIT
 *   memory_release(point)                      frees what this thread allocated since
 *                                              point = memory_now(); only in a region */
#ifndef BENCH_WORKLOADS_MEMORY_H
#define BENCH_WORKLOADS_MEMORY_H

#include <stdint.h>

#if defined MEMORY_MANAGED
#include "bench/workloads/memory_managed.h"
#elif defined MEMORY_BOEHM
#include "bench/workloads/memory_boehm.h"
#elif defined MEMORY_MALLOC
#include "bench/workloads/memory_malloc.h"
#elif defined MEMORY_REGION
#include "bench/workloads/memory_region.h"
#else
#error "define MEMORY_MANAGED, MEMORY_BOEHM, MEMORY_MALLOC or MEMORY_REGION"
#endif

#ifndef MEMORY_REGION
typedef struct {
  char nothing;
} memory_point;

static inline memory_point memory_now(void) {
  return (memory_point){0};
}

static inline void memory_release(memory_point point) {
  (void)point;
}
#endif

#endif
