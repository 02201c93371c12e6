/* The number of iterations of a loop whose counter starts at a constant, grows by a constant in
 * each iteration, and is compared with a constant in each iteration. */
#ifndef SPGC_CODEGEN_IR_TRIP_COUNT_H
#define SPGC_CODEGEN_IR_TRIP_COUNT_H

#include <stdint.h>

#include "codegen/ir/loops.h"

/* Loops of more iterations count as of an unknown number. */
enum { TRIP_COUNT_MOST = 1 << 14 };

/* An upper bound of the iterations of one run of the loop; 0 when it is not known. */
uint64_t spgc_trip_count(const struct loops *loops, int loop);

#endif
