/* A fork's steps, in this order: registration (frame_table.c), waiting for walkers (walkers.c),
 * watermarks (watermark.c). */
#ifndef SPGC_STACKWALK_FORK_H
#define SPGC_STACKWALK_FORK_H

void spgc_stackwalk_fork_lock(void);

void spgc_stackwalk_fork_unlock(void);

void spgc_stackwalk_fork_unlock_in_child(void);

#endif
