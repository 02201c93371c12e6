/* Repeats work about as long as a minor collection. Another process, or the host of a virtual
 * machine, interrupted a turn that takes far longer than the others. */
#ifndef SPGC_BENCH_MICRO_MACHINE_H
#define SPGC_BENCH_MICRO_MACHINE_H

void measure_machine(void);

#endif
