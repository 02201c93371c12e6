/* Whether a word can be a type descriptor's address. */
#ifndef SPGC_HEAP_CHECK_TYPE_H
#define SPGC_HEAP_CHECK_TYPE_H

#include <stdint.h>

struct spgc_heap;

enum { KNOWN_PAGES = 64, SPGC_TYPE_NAME_BYTES = 64 };

/* A hash set of pages found readable, because each probe takes a system call. Valid as long as
 * nobody unmaps memory. */
struct spgc_readable_pages {
  uintptr_t known[KNOWN_PAGES]; /* addresses, or 0 */
};

/* Returns NULL when `header` is the address of a plausible descriptor, else a text that says what
 * is wrong. With `pages`, it does not trust that the memory exists, but asks the kernel by
 * futex(2); only where that is refused, it trusts. With NULL, it reads directly. */
const char *spgc_check_type(const struct spgc_heap *heap, struct spgc_readable_pages *pages,
                            uintptr_t header);

/* Copies the name of the type whose descriptor the header leads to, for a message. Nothing is
 * trusted: the descriptor may be gone. Names that do not fit are cut off. */
void spgc_type_name_copy(const struct spgc_heap *heap, uintptr_t header,
                         char name[SPGC_TYPE_NAME_BYTES]);

#endif
