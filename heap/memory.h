/* Address space and pages: the only file that asks the operating system for memory. */
#ifndef SPGC_HEAP_MEMORY_H
#define SPGC_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a page of the system (4, 16 or 64 KiB on AArch64). What is opened, closed or given back
 * begins and ends where a page does; otherwise the system refuses it, or does it to more. */
size_t spgc_memory_page_bytes(void);

/* Reserves inaccessible address space, aligned to a page and to `alignment` (a power of two),
 * which core files leave out. NULL when the system refuses. */
void *spgc_memory_reserve(size_t bytes, size_t alignment);

/* The same, page-aligned; the memory can be read, as zeros. */
void *spgc_memory_reserve_zero(size_t bytes);

/* Maps zeroed memory, which costs nothing until it is touched. NULL when the system refuses. */
void *spgc_memory_map(size_t bytes);

/* Makes such memory larger, by zeros; it may move. NULL when the system refuses; it is unchanged
 * then. */
void *spgc_memory_enlarge(void *start, size_t bytes, size_t larger);

/* Unmaps. If the system refuses, the memory is freed but its address space is not. */
void spgc_memory_unmap(void *start, size_t bytes);

/* Make pages readable and writable, or inaccessible. False when the system refuses; the pages are
 * unchanged then. */
bool spgc_memory_open(void *start, size_t bytes);
bool spgc_memory_close(void *start, size_t bytes);

/* Has core files include the pages, accessible or not. Without support by the system, they leave
 * out or include what it chooses. */
void spgc_memory_include_in_cores(void *start, size_t bytes);

/* Makes pages inaccessible and returns them to the system, which stops charging for them. False
 * when it refuses; the pages are unchanged then. */
bool spgc_memory_give_back(void *start, size_t bytes);

/* Populates accessible pages with one call, which costs less than a page fault for each. Without
 * support by the system (Linux 5.14), the pages are populated when they are touched. */
void spgc_memory_populate(void *start, size_t bytes);

/* Returns the pages to the system. The memory stays accessible, and its contents become arbitrary.
 * False when the pages are locked (mlockall); they stay then. */
bool spgc_memory_discard(void *start, size_t bytes);

#endif
