/* A fork's steps, in this order: registration (frame_table.c), waiting for walkers (walkers.c),
 * watermarks (watermark.c). */
#ifndef SPGC_STACKWALK_FORK_H
#define SPGC_STACKWALK_FORK_H

/* Before the fork. Keeps other threads out of walks. */
void spgc_stackwalk_fork_lock(void);

void spgc_stackwalk_fork_unlock(void);

/* The child has only the calling thread's walks. */
void spgc_stackwalk_fork_unlock_in_child(void);

#endif
