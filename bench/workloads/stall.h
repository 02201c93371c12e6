/* A step is one operation, or STALL_OPERATIONS shorter than a microsecond. */
#ifndef BENCH_WORKLOADS_STALL_H
#define BENCH_WORKLOADS_STALL_H

#include <stdint.h>

enum { STALL_OPERATIONS = 1000 };

/* The first step follows. */
void stall_begin(void);

void stall_step(void);

double stall_longest_ms(void);

#endif
