#ifndef SPGC_GC_ROOTS_RANGES_H
#define SPGC_GC_ROOTS_RANGES_H

#include "gc/mutator/handles.h"

/* The world is stopped. */
bool spgc_ranges_exist(void);

/* `what` is the range's name. Returns the words, null or not. */
uint64_t spgc_ranges_visit(enum spgc_nulls nulls, spgc_root_visitor visit, void *context);

#endif
