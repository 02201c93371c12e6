#ifndef SPGC_BENCH_MICRO_MUTATOR_H
#define SPGC_BENCH_MICRO_MUTATOR_H

/* Each prints a line of JSON. */
void measure_allocation(void);
void measure_barrier(void);

#endif
