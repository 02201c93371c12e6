#ifndef SPGC_HEAP_CHECK_TYPE_H
#define SPGC_HEAP_CHECK_TYPE_H

#include <stdint.h>

struct spgc_heap;

enum { KNOWN_PAGES = 64, KNOWN_TYPES = 64, SPGC_TYPE_NAME_BYTES = 64 };

/* Hash tables, because each probe is a system call. Valid until memory is unmapped. */
struct spgc_readable_pages {
  uintptr_t known[KNOWN_PAGES];
  uintptr_t types[KNOWN_TYPES]; /* plausible descriptors */
};

/* NULL if `header` is a plausible descriptor's address, else the mistake. Without `pages`, its
 * memory is readable. */
const char *spgc_check_type(const struct spgc_heap *heap, struct spgc_readable_pages *pages,
                            uintptr_t header);

/* The type may be gone. Long names are cut. */
void spgc_type_name_copy(const struct spgc_heap *heap, uintptr_t header,
                         char name[SPGC_TYPE_NAME_BYTES]);

#endif
