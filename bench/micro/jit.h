#ifndef SPGC_BENCH_MICRO_JIT_H
#define SPGC_BENCH_MICRO_JIT_H

/* Lines of JSON. */
void measure_jit(void);

#endif
