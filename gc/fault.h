#ifndef SPGC_GC_FAULT_H
#define SPGC_GC_FAULT_H

/* Explains faults of known causes on standard error, before SIGSEGV has its former effect or the
 * sanitizer ends the process. A program's handler may call the one that it replaced: a fault still
 * ends, however often the heap is started. With the world locked. */
void spgc_fault_start(void);

/* Unless the program has replaced it. */
void spgc_fault_stop(void);

#endif
