/* What a snapshot's classes take. */
#ifndef SPGC_TOOLS_HEAP_CLASSES_H
#define SPGC_TOOLS_HEAP_CLASSES_H

#include "tools/heap/dominators.h"
#include "tools/heap/snapshot.h"

struct class_sum {
  uint32_t class; /* a string */
  uint32_t objects;
  uint64_t self, retained; /* bytes; 0 retained unless it was asked for */
};

struct classes {
  struct class_sum *all; /* those with objects, in the order of their strings */
  uint32_t count;
  uint64_t objects, bytes;
};

/* Counts all objects, reached or not. Groups of roots are none. */
void classes_count(struct classes *classes, const struct snapshot *snapshot);

/* Fills in the retained sizes. */
void classes_sum_retained(struct classes *classes, const struct snapshot *snapshot,
                          const struct dominators *dominators);

void classes_free(struct classes *classes);

#endif
