/* What the stack walker does when the process forks: its locks, in their order, are those of
 * registration (frame_table.c), of who waits for walkers (walkers.c), and of watermarks
 * (watermark.c). */
#ifndef SPGC_STACKWALK_FORK_H
#define SPGC_STACKWALK_FORK_H

/* Before the copy: takes the locks, and keeps other threads out of walks. */
void spgc_stackwalk_fork_hold(void);

/* After it, in the parent. */
void spgc_stackwalk_fork_release(void);

/* In the child, which has no walks but those of the calling thread. */
void spgc_stackwalk_fork_release_in_child(void);

#endif
