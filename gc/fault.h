#ifndef SPGC_GC_FAULT_H
#define SPGC_GC_FAULT_H

/* Explains faults of known causes, before SIGSEGV has its former effect. Needs the world locked. */
void spgc_fault_start(void);

/* Keeps a handler that the program has put in its place. */
void spgc_fault_stop(void);

#endif
