/* Forking. The child has only the thread that forked, and the memory of all threads.
 *
 *   parent   running -> world stopped -> locks taken -> fork -> locks released -> world resumed
 *                                                       |
 *   child                                               +---> locks released -> other mutators
 *                                                             forgotten -> world resumed
 *
 * While the world is stopped, every object is complete, every store has dirtied its card, and a
 * thread that holds a lock releases it without help. The child loses the frames, scoped handles and
 * TLABs of the other threads, and the objects that only they referred to. */
#ifndef SPGC_GC_MUTATOR_FORK_H
#define SPGC_GC_MUTATOR_FORK_H

#include <stdbool.h>

/* Later forks stop the world. False if the system refuses. The caller holds no lock of the library:
 * before glibc 2.36, fork holds a lock that registering takes while its handlers wait for ours. */
bool spgc_fork_register_handlers(void);

#endif
