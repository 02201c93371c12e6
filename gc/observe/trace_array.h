/* Arrays of a trace's writer, which grow.
 *
 * Their memory comes from the system and not from the C library, because a fork may find the writer
 * in the midst of anything: the child begins with new arrays and leaves these alone. */
#ifndef SPGC_GC_OBSERVE_TRACE_ARRAY_H
#define SPGC_GC_OBSERVE_TRACE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

struct spgc_trace_array {
  void *items;
  size_t bytes; /* of memory */
};

/* Makes room for `bytes`. Returns false if there is no memory. */
bool spgc_trace_array_reserve(struct spgc_trace_array *array, size_t bytes);

void spgc_trace_array_free(struct spgc_trace_array *array);

#endif
