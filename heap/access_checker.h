/* What AddressSanitizer and Valgrind's memcheck are told of the heap's memory.
 *
 * AddressSanitizer is there when the program was built with it; the library need not have been.
 * Valgrind is there when the program runs in it, and the library was built with its header. Without
 * either, nothing is told. The calls cost as much as the memory is large, so they are made where
 * whole blocks, or holes, change hands.
 */
#ifndef SPGC_HEAP_ACCESS_CHECKER_H
#define SPGC_HEAP_ACCESS_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether one of the two checks this process. It is the same as long as the process lives, and asks
 * Valgrind: the caller keeps the answer. */
bool spgc_access_is_checked(void);

/* From now on an access to the words is reported. */
void spgc_access_forbid(uintptr_t from, size_t bytes);

/* From now on it is not. The contents are arbitrary until they are written. */
void spgc_access_allow(uintptr_t from, size_t bytes);

/* Has Valgrind call the memory by the text, as in "8 bytes inside a TEXT of size 24". Only the
 * latest SPGC_ACCESS_NAMES texts are kept, because Valgrind looks through all of them. */
enum { SPGC_ACCESS_NAMES = 4096 };
void spgc_access_name(uintptr_t from, size_t bytes, const char *text);

/* Whether such names are shown by anybody. */
bool spgc_access_names_are_shown(void);

/* Takes the names back of memory that lies within the range. */
void spgc_access_forget_names(uintptr_t from, size_t bytes);

#endif
