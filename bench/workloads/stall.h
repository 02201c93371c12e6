/* The longest stall: the most time that any step took, pauses included. A step is STALL_OPERATIONS
 * consecutive operations where one takes less than a microsecond, and one operation where it takes
 * more. */
#ifndef BENCH_WORKLOADS_STALL_H
#define BENCH_WORKLOADS_STALL_H

#include <stdint.h>

enum { STALL_OPERATIONS = 1000 };

/* Forgets what was measured; the first step follows. */
void stall_begin(void);

/* Another step is done. */
void stall_step(void);

/* 0 when no stalls were measured. */
double stall_longest_ms(void);

#endif
