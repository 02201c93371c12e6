/* What AddressSanitizer and Valgrind's memcheck learn about the heap's memory.
 *
 * AddressSanitizer is present if the program was built with it; the library need not be. Valgrind
 * is present if the program runs in it and the library was built with its header. Without either,
 * nothing happens. A call takes time in proportion to the memory, so calls are made only when whole
 * blocks, or holes, change hands. */
#ifndef SPGC_HEAP_ACCESS_CHECKER_H
#define SPGC_HEAP_ACCESS_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether one of the two checks this process. Asks Valgrind, so the caller keeps the answer. */
bool spgc_access_is_checked(void);

void spgc_access_forbid(uintptr_t from, size_t bytes);

/* The contents are arbitrary until they are written. */
void spgc_access_allow(uintptr_t from, size_t bytes);

/* Makes Valgrind describe the memory by the text, as in "8 bytes inside a TEXT of size 24". Only
 * the latest SPGC_ACCESS_NAMES texts are kept. */
enum { SPGC_ACCESS_NAMES = 4096 };
void spgc_access_name(uintptr_t from, size_t bytes, const char *text);

bool spgc_access_names_are_shown(void);

void spgc_access_forget_names(uintptr_t from, size_t bytes);

#endif
