/* What a thread does at its next poll because spgc_thread_interrupt asked for it. */
#ifndef SPGC_GC_MUTATOR_INTERRUPT_H
#define SPGC_GC_MUTATOR_INTERRUPT_H

/* The calling thread is at a poll. May not return. */
void spgc_interrupt_if_asked(void);

#endif
