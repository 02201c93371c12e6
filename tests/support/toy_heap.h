/* The smallest moving heap, without the collector: each collection moves all objects to a new
 * array, in another order. Old ones are poisoned, so a reference that was not rewritten reads
 * TOY_POISON. Nothing here allocates memory. */
#ifndef SPGC_TESTS_TOY_HEAP_H
#define SPGC_TESTS_TOY_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/stackwalk.h"

enum { TOY_WORDS = 12, TOY_OBJECTS = 64, TOY_COLLECTIONS = 32 };

#define TOY_POISON UINT64_C(0xDEADDEADDEADDEAD)

/* Since toy_heap_reset. */
struct toy_statistics {
  struct spgc_walk_counts walks; /* summed over collections */
  uint64_t collections;
  uint64_t moved_roots;
  uint64_t pairs; /* (base, derived) pairs reported */
  uint64_t derived_pairs;
  uint64_t nulls;   /* bases that held no object */
  uint64_t last_id; /* of the innermost managed frame of the last collection */
};

extern struct toy_statistics toy_statistics;

/* `base` ends every walk: the caller's __builtin_frame_address(0). */
void toy_heap_reset(void *base);

struct spgc_ref toy_new(uint64_t value);

void toy_set_word(struct spgc_ref object, unsigned index, uint64_t word);
void toy_set_reference(struct spgc_ref object, unsigned index, struct spgc_ref target);

bool toy_is_object(uintptr_t word);

/* Unless NULL, called by collect and call_managed instead. */
extern void (*toy_on_collect)(void);
extern uint64_t (*toy_on_call)(struct spgc_ref object, uint64_t argument);

void collect(void);

uint64_t call_managed(uint64_t (*function)(struct spgc_ref, uint64_t), struct spgc_ref object,
                      uint64_t argument);

#endif
