/* Address space and pages: the only file that speaks to the operating system about memory. */
#ifndef SPGC_HEAP_MEMORY_H
#define SPGC_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Address space without memory, inaccessible, aligned to `alignment` (a power of two). NULL when
 * refused. */
void *spgc_memory_reserve(size_t bytes, size_t alignment);

/* The same, but it can be read, as zero. */
void *spgc_memory_reserve_zero(size_t bytes);

/* Zeroed memory that costs nothing until it is touched. NULL when refused. */
void *spgc_memory_map(size_t bytes);

/* What the system does not unmap, it keeps as address space without memory. */
void spgc_memory_unmap(void *start, size_t bytes);

/* Makes pages readable and writable, or neither. False when the system refuses; the pages are then
 * as before. */
bool spgc_memory_open(void *start, size_t bytes);
bool spgc_memory_close(void *start, size_t bytes);

/* Makes pages inaccessible and returns them to the system, so that nothing counts for them any
 * more. False when it refuses; the pages are then as before. */
bool spgc_memory_give_back(void *start, size_t bytes);

/* Gets the pages of open memory together, for less than they cost when they are touched one by one.
 * Where the system does not, that is what happens. */
void spgc_memory_populate(void *start, size_t bytes);

/* Returns the pages to the system; what they hold next is arbitrary. False when it does not take
 * them, for locked pages (mlockall): they stay. */
bool spgc_memory_discard(void *start, size_t bytes);

#endif
