/* What an object of the JIT costs when there are few, and when there are many. */
#ifndef SPGC_BENCH_MICRO_JIT_H
#define SPGC_BENCH_MICRO_JIT_H

/* Prints lines of JSON. */
void measure_jit(void);

#endif
