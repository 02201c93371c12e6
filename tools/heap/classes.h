#ifndef SPGC_TOOLS_HEAP_CLASSES_H
#define SPGC_TOOLS_HEAP_CLASSES_H

#include "tools/heap/dominators.h"
#include "tools/heap/snapshot.h"

struct class_sum {
  uint32_t class; /* a string */
  uint32_t objects;
  uint64_t self, retained; /* bytes; 0 retained unless computed */
};

struct classes {
  struct class_sum *all; /* classes with objects, ordered by string number */
  uint32_t count;
  uint64_t objects, bytes;
};

/* Also unreached objects, but no groups of roots. */
void classes_count(struct classes *classes, const struct snapshot *snapshot);

void classes_sum_retained(struct classes *classes, const struct snapshot *snapshot,
                          const struct dominators *dominators);

void classes_free(struct classes *classes);

#endif
