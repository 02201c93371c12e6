/* What the machine itself adds to a pause: the same work, about as long as a minor collection,
 * again and again. A turn that takes far longer than the others was interrupted, by another process
 * or by the host of a virtual machine. */
#ifndef SPGC_BENCH_MICRO_MACHINE_H
#define SPGC_BENCH_MICRO_MACHINE_H

/* A line of JSON for one thread, and for one beside another that does the same. */
void measure_machine(void);

#endif
