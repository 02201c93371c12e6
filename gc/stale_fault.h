/* The message of a stale reference: what it led to, and what became of that object. */
#ifndef SPGC_GC_STALE_FAULT_H
#define SPGC_GC_STALE_FAULT_H

/* From now on an access to vacated memory is explained on standard error. Under poison=on it faults
 * and is explained before SIGSEGV has the effect that it had. A handler of the program may call the
 * one that it replaced: a fault ends nevertheless, however often the heap is started. In a program
 * that was built with AddressSanitizer it is explained behind the sanitizer's report; the library
 * takes the sanitizer's one callback for that when it is loaded, and one that the program sets
 * takes its place. With the world locked. */
void spgc_stale_fault_start(void);

/* Gives the signal back, unless the program has set a handler of its own since. */
void spgc_stale_fault_stop(void);

#endif
