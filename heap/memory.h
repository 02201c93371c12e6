/* Address space and pages: the only file that asks the operating system for memory. */
#ifndef SPGC_HEAP_MEMORY_H
#define SPGC_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* 4, 16 or 64 KiB. Memory is opened, closed and given back in whole pages. */
size_t spgc_memory_page_bytes(void);

/* Reserves inaccessible address space, aligned to a page and to `alignment` (a power of two), which
 * core files leave out. NULL if the system refuses. */
void *spgc_memory_reserve(size_t bytes, size_t alignment);

/* Reserves page-aligned address space that reads as zeros. */
void *spgc_memory_reserve_zero(size_t bytes);

/* Zeroed memory, which costs nothing until it is touched. NULL if the system refuses. */
void *spgc_memory_map(size_t bytes);

/* Enlarges such memory with zeros; it may move. NULL, without a change, if the system refuses. */
void *spgc_memory_enlarge(void *start, size_t bytes, size_t larger);

/* If the system refuses, the memory is freed but its address space is not. */
void spgc_memory_unmap(void *start, size_t bytes);

/* Make pages readable and writable, or inaccessible. False, without a change, if the system
 * refuses. */
bool spgc_memory_open(void *start, size_t bytes);
bool spgc_memory_close(void *start, size_t bytes);

/* Makes core files include the pages, accessible or not, if the system supports it. */
void spgc_memory_include_in_cores(void *start, size_t bytes);

/* Makes pages inaccessible and returns them to the system, which stops charging for them. False,
 * without a change, if it refuses. */
bool spgc_memory_give_back(void *start, size_t bytes);

/* Populates accessible pages by one call, which costs less than a page fault for each. Before Linux
 * 5.14 it does nothing. */
void spgc_memory_populate(void *start, size_t bytes);

/* Returns the pages to the system. The memory stays accessible, with arbitrary contents. False if
 * the pages are locked (mlockall). */
bool spgc_memory_discard(void *start, size_t bytes);

#endif
