/* The message of a stale reference that faults under poison=on. */
#ifndef SPGC_GC_STALE_FAULT_H
#define SPGC_GC_STALE_FAULT_H

/* From now on an access to a vacated block is reported on standard error before SIGSEGV has the
 * effect that it had. With the world locked. */
void spgc_stale_fault_start(void);

/* Gives the signal back, unless the program has set a handler of its own since. */
void spgc_stale_fault_stop(void);

#endif
