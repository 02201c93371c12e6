#include "gc/state/locks.h"

pthread_mutex_t spgc_locks[SPGC_LOCK_COUNT] = {
#define SPGC_LOCK(name, guarded) [SPGC_LOCK_##name] = PTHREAD_MUTEX_INITIALIZER,
    SPGC_LOCKS(SPGC_LOCK)
#undef SPGC_LOCK
};
