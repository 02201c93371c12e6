/* Forking: a child has the thread that forked, and nothing of the others but their memory.
 *
 *   parent   running ---> world stopped ---> locks taken ---> fork ---> locks released ---> world
 * goes on
 *                                                              |
 *   child                                                      +------> locks released ---> others
 * forgotten ---> ...
 *
 * While the world is stopped every object is complete, every store has its card, and nobody is
 * inside a lock but who gives it back by itself. So the child's heap is as good as the parent's.
 * The other threads' frames, scoped handles and allocation buffers belong to nobody there: they are
 * dropped, and what they alone referred to dies.
 */
#ifndef SPGC_GC_MUTATOR_FORK_H
#define SPGC_GC_MUTATOR_FORK_H

#include <stdbool.h>

/* The world is stopped by forks from now on. False when the system refuses. */
bool spgc_fork_register_handlers(void);

#endif
