#include "gc/stale_fault.h"

#include <inttypes.h>
#include <signal.h>
#include <stddef.h>

#include "gc/state/log.h"
#include "gc/state/runtime.h"

/* Written with the world locked. */
static struct sigaction before;

static bool is_vacated(const struct spgc_heap *heap, uintptr_t address) {
  return spgc_heap_spans(heap, address) &&
         heap->spaces[spgc_heap_block_of(heap, address)] == SPGC_SPACE_FREE;
}

/* Puts the effect of before back: the access faults again when the handler returns. A signal that
 * somebody sent comes only once, so it is sent again. */
static void report(int signal, siginfo_t *fault, void *context) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  uintptr_t address = (uintptr_t)fault->si_addr;
  if (fault->si_code == SEGV_ACCERR && is_vacated(heap, address)) {
    uint32_t block = spgc_heap_block_of(heap, address);
    spgc_log_death("a stale reference was used: %#" PRIxPTR " lies in block %" PRIu32
                   ", which collection %" PRIu32 " of %" PRIu32
                   " vacated. The object there died or has "
                   "moved. See docs/debugging.md",
                   address, block, heap->blocks[block].vacated_by, heap->collection);
  }
  sigaction(signal, &before, NULL);
  if (fault->si_code <= 0)
    raise(signal);
}

void spgc_stale_fault_start(void) {
  struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before);
}

void spgc_stale_fault_stop(void) {
  struct sigaction now;
  sigaction(SIGSEGV, NULL, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == report)
    sigaction(SIGSEGV, &before, NULL);
}
