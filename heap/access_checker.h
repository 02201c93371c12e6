/* Tells AddressSanitizer (if the program uses it) and Valgrind's memcheck (if the library was built
 * with its header) about whole blocks and holes: the time is in proportion to the memory. */
#ifndef SPGC_HEAP_ACCESS_CHECKER_H
#define SPGC_HEAP_ACCESS_CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Asks Valgrind, so the caller keeps the answer. */
bool spgc_access_is_checked(void);

void spgc_access_forbid(uintptr_t from, size_t bytes);

void spgc_access_allow(uintptr_t from, size_t bytes);

#endif
