#ifndef SPGC_GC_FAULT_H
#define SPGC_GC_FAULT_H

/* From now on, faults of known causes are explained on standard error before SIGSEGV has its former
 * effect. A program's handler may call the one that it replaced: a fault still ends, however often
 * the heap is started. In a program built with AddressSanitizer, the explanation of an access to
 * vacated memory follows the sanitizer's report. With the world locked. */
void spgc_fault_start(void);

/* Restores the signal, unless the program has set its own handler since. */
void spgc_fault_stop(void);

#endif
