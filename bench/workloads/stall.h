/* The longest stall: the most time that any STALL_OPERATIONS consecutive operations took, pauses included. */
#ifndef BENCH_WORKLOADS_STALL_H
#define BENCH_WORKLOADS_STALL_H

#include <stdint.h>

enum { STALL_OPERATIONS = 1000 };

/* Forgets what was measured; the first operation follows. */
void stall_begin(void);

/* STALL_OPERATIONS more are done. */
void stall_step(void);

/* 0 when no stalls were measured. */
double stall_longest_ms(void);

#endif
