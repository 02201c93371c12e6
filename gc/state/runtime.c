#include "gc/state/runtime.h"

struct spgc_runtime spgc_runtime;

pthread_mutex_t spgc_locks[SPGC_LOCK_COUNT] = {
    [0 ... SPGC_LOCK_COUNT - 1] = PTHREAD_MUTEX_INITIALIZER,
};
