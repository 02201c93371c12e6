/* Address space and pages: the only file that speaks to the operating system about memory. */
#ifndef SPGC_HEAP_MEMORY_H
#define SPGC_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Address space without memory, inaccessible, aligned to `alignment` (a power of two). NULL when refused. */
void *spgc_memory_reserve(size_t bytes, size_t alignment);

/* Zeroed memory that costs nothing until it is touched. NULL when refused. */
void *spgc_memory_map(size_t bytes);

void spgc_memory_unmap(void *start, size_t bytes);

/* Makes pages readable and writable, or neither. False when the system refuses; the pages are then as before. */
bool spgc_memory_open(void *start, size_t bytes);
bool spgc_memory_close(void *start, size_t bytes);

/* Gets the pages of open memory together, for less than they cost when they are touched one by one. Where the system
 * does not, that is what happens. */
void spgc_memory_populate(void *start, size_t bytes);

/* Returns the pages to the system; they read as zero when next touched. */
void spgc_memory_discard(void *start, size_t bytes);

#endif
