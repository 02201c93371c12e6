/* Ranges of roots that the program has added (spgc/roots.h). */
#ifndef SPGC_GC_ROOTS_RANGES_H
#define SPGC_GC_ROOTS_RANGES_H

#include "gc/mutator/handles.h"

/* With the world stopped. */
bool spgc_ranges_exist(void);

/* With the range's name. */
void spgc_ranges_visit(spgc_root_visitor visit, void *context);

#endif
