/* Forking. A child has the thread that forked, and nothing of the others but their memory.
 *
 * With no other thread attached the child's heap is as good as the parent's. Otherwise the child has stacks that no
 * thread runs on: it may execute another program or exit, and any use of the heap is refused.
 */
#ifndef SPGC_GC_FORK_H
#define SPGC_GC_FORK_H

#include <stdbool.h>

/* Has forks of the process looked at from now on. False when the system refuses. */
bool spgc_fork_watch(void);

/* Fatal in a child that was forked while other threads were attached. */
void spgc_fork_check(void);

#endif
