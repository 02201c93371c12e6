#include "gc/state/runtime.h"

#include "gc/state/locks.h"

struct spgc_runtime spgc_runtime;

void spgc_runtime_lock_heap(void) {
  spgc_lock(SPGC_LOCK_HEAP);
}

void spgc_runtime_unlock_heap(void) {
  spgc_unlock(SPGC_LOCK_HEAP);
}
