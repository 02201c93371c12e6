#ifndef SPGC_GC_MUTATOR_INTERRUPT_H
#define SPGC_GC_MUTATOR_INTERRUPT_H

/* Calls the hook if the calling thread, which is at a poll, was interrupted by
 * spgc_thread_interrupt. May not return. */
void spgc_interrupt_if_asked(void);

#endif
