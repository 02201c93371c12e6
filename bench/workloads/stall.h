/* The longest stall: the most time that any step took, pauses included. A step is one operation, or
 * STALL_OPERATIONS of them where one takes less than a microsecond. */
#ifndef BENCH_WORKLOADS_STALL_H
#define BENCH_WORKLOADS_STALL_H

#include <stdint.h>

enum { STALL_OPERATIONS = 1000 };

/* Forgets what was measured; the first step follows. */
void stall_begin(void);

/* Ends a step, and begins the next. */
void stall_step(void);

/* 0 when no stalls were measured. */
double stall_longest_ms(void);

#endif
