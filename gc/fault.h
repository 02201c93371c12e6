/* Faults explained: the handler of SIGSEGV. */
#ifndef SPGC_GC_FAULT_H
#define SPGC_GC_FAULT_H

/* From now on a fault is explained on standard error before SIGSEGV has the effect that it had, if
 * the collector knows its cause: an access to vacated memory, a store through a reference that is
 * not in the heap, a handle whose scope was closed, an object that the collector cannot read. A
 * handler of the program may call the one that it replaced: a fault ends nevertheless, however
 * often the heap is started. With the world locked. */
void spgc_fault_start(void);

/* Gives the signal back, unless the program has set a handler of its own since. */
void spgc_fault_stop(void);

#endif
