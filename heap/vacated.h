/* Vacated memory, under poison and access checkers: the poison that fills it, and its latest
 * objects, for reports of stale references. They are noted right before they are poisoned: with the
 * world stopped, or by threads that sweep. */
#ifndef SPGC_HEAP_VACATED_H
#define SPGC_HEAP_VACATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/check_type.h"

/* Neither a descriptor's address nor in the heap. */
#define SPGC_POISON_WORD UINT64_C(0xdead57a1edead57a)
#define SPGC_HANDLE_POISON UINT64_C(0xdead5c0bedead5c0) /* in a handle whose scope was closed */

static inline void spgc_poison(uintptr_t from, uintptr_t to) {
  for (uint64_t *word = (uint64_t *)from; word < (uint64_t *)to; word++)
    *word = SPGC_POISON_WORD;
}

enum { SPGC_MOST_VACATED = 1 << 18 }; /* 8 MiB of objects */

struct spgc_vacated {
  uintptr_t from;
  size_t bytes;
  uintptr_t type; /* may be gone */
  uint32_t collection;
  bool moved; /* else it died */
};

struct spgc_vacated_record {
  struct spgc_vacated *entries; /* or NULL */
  uint64_t count;               /* atomic */
};

/* Objects tile [from, end): those with a forwarding address moved, the others died. Stops at a
 * descriptor that is gone. */
void spgc_vacated_note(struct spgc_heap *heap, struct spgc_readable_pages *pages,
                       uint32_t collection, uintptr_t from, uintptr_t end);

/* The address may be interior. */
const struct spgc_vacated *spgc_vacated_find(const struct spgc_vacated_record *record,
                                             uintptr_t address);

#endif
