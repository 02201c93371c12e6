#ifndef SPGC_HEAP_CHECK_TYPE_H
#define SPGC_HEAP_CHECK_TYPE_H

#include <stdint.h>

struct spgc_heap;

enum { KNOWN_PAGES = 64, SPGC_TYPE_NAME_BYTES = 64 };

/* A hash set of pages found readable, because each probe is a system call. Valid until memory is
 * unmapped. */
struct spgc_readable_pages {
  uintptr_t known[KNOWN_PAGES]; /* addresses, or 0 */
};

/* NULL if `header` is the address of a plausible descriptor, else what is wrong. With `pages`, it
 * asks the kernel whether the memory exists, and trusts it only if the kernel does not say. */
const char *spgc_check_type(const struct spgc_heap *heap, struct spgc_readable_pages *pages,
                            uintptr_t header);

/* Copies the name of the header's type, which may be gone, for a message. Long names are cut. */
void spgc_type_name_copy(const struct spgc_heap *heap, uintptr_t header,
                         char name[SPGC_TYPE_NAME_BYTES]);

#endif
