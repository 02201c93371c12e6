#include "gc/mutator/interrupt.h"

#include <stdatomic.h>

#include "gc/mutator/mutator.h"
#include "spgc/thread.h"

static _Atomic(spgc_interrupt_hook) hook; /* written by any thread */

void spgc_set_interrupt_hook(spgc_interrupt_hook new_hook) {
  atomic_store(&hook, new_hook);
}

/* May run in a signal handler at any point. */
void spgc_thread_interrupt(void) {
  __atomic_fetch_or(&spgc_thread.poll, SPGC_POLL_INTERRUPT, __ATOMIC_SEQ_CST);
}

void spgc_interrupt_if_asked(void) {
  uintptr_t before =
      __atomic_fetch_and(&spgc_thread.poll, ~(uintptr_t)SPGC_POLL_INTERRUPT, __ATOMIC_SEQ_CST);
  spgc_interrupt_hook called = atomic_load(&hook);
  if ((before & SPGC_POLL_INTERRUPT) != 0 && called != NULL)
    called();
}
