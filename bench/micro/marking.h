/* Marking with one thread and two, against a bare depth-first loop over the same objects. */
#ifndef SPGC_BENCH_MICRO_MARKING_H
#define SPGC_BENCH_MICRO_MARKING_H

void measure_marking(void);

#endif
