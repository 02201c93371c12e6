/* Forks: the walker's locks in their order are those of registration (frame_table.c), waiting for
 * walkers (walkers.c), and watermarks (watermark.c). */
#ifndef SPGC_STACKWALK_FORK_H
#define SPGC_STACKWALK_FORK_H

/* Before the fork: takes the locks, and keeps other threads out of walks. */
void spgc_stackwalk_fork_lock(void);

void spgc_stackwalk_fork_unlock(void);

/* In the child, which has only the calling thread's walks. */
void spgc_stackwalk_fork_unlock_in_child(void);

#endif
