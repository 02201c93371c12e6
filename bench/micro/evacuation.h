/* Evacuation with one thread and two, against Cheney's algorithm on the same objects. */
#ifndef SPGC_BENCH_MICRO_EVACUATION_H
#define SPGC_BENCH_MICRO_EVACUATION_H

void measure_evacuation(void);

#endif
