/* Interrupts: a thread calls the hook at its next poll after spgc_thread_interrupt. */
#ifndef SPGC_GC_MUTATOR_INTERRUPT_H
#define SPGC_GC_MUTATOR_INTERRUPT_H

/* Calls the hook if the calling thread was interrupted. It is at a poll. May not return. */
void spgc_interrupt_if_asked(void);

#endif
