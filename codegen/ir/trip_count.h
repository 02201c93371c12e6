/* How often a loop runs, where its text says so: a counter that starts at a constant, to which each
 * round adds a constant, and that is compared with a constant each round. */
#ifndef SPGC_CODEGEN_IR_TRIP_COUNT_H
#define SPGC_CODEGEN_IR_TRIP_COUNT_H

#include <stdint.h>

#include "codegen/ir/loops.h"

/* An upper bound of the rounds of one run of the loop; 0 when it is not known. */
uint64_t spgc_trip_count(const struct loops *loops, int loop);

#endif
