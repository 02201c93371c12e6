/* The only file that asks the operating system for memory. */
#ifndef SPGC_HEAP_MEMORY_H
#define SPGC_HEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* 4, 16 or 64 KiB. Memory is opened, closed and given back in whole pages. */
size_t spgc_memory_page_bytes(void);

/* Inaccessible, aligned to a page and a power of two, not in core files. NULL if refused. */
void *spgc_memory_reserve(size_t bytes, size_t alignment);

/* Page-aligned; reads as zeros. */
void *spgc_memory_reserve_zero(size_t bytes);

/* Zeroed; costs nothing until touched. NULL if refused. */
void *spgc_memory_map(size_t bytes);

/* It may move; the addition is zeroed. NULL, without a change, if refused. */
void *spgc_memory_enlarge(void *start, size_t bytes, size_t larger);

/* If refused, only the memory is freed, not its address space. */
void spgc_memory_unmap(void *start, size_t bytes);

/* False, without a change, if refused. */
bool spgc_memory_open(void *start, size_t bytes);
bool spgc_memory_close(void *start, size_t bytes);

/* If the system supports it. */
void spgc_memory_include_in_cores(void *start, size_t bytes);

/* The system stops charging for the pages. False, without a change, if refused. */
bool spgc_memory_give_back(void *start, size_t bytes);

/* Cheaper than a page fault for each page. No effect before Linux 5.14. */
void spgc_memory_populate(void *start, size_t bytes);

/* It stays accessible, with arbitrary contents. False if the pages are locked (mlockall). */
bool spgc_memory_discard(void *start, size_t bytes);

#endif
