/* Heap snapshots of the options (spgc/snapshot.h has the call).
 *
 *   program   stop -> roots are listed -> clone -> resume -> waits in a blocking region, -> rename
 *                                           |                and finds names of places
 *   child                                   +-> marks -> counts -> writes nodes, edges, strings */
#ifndef SPGC_OBSERVE_SNAPSHOT_SNAPSHOT_H
#define SPGC_OBSERVE_SNAPSHOT_SNAPSHOT_H

#include "spgc/snapshot.h"

/* After the heap's start, and before its stop, with nothing locked. The file is written at the
 * first out of memory, before the hook is called, or else when the heap stops or the process exits;
 * with a signal, at each signal instead. */
void spgc_snapshot_option_begin(void);
void spgc_snapshot_option_end(void);

/* As spgc_snapshot_on_signal. Forked children whose files have their own names also serve the
 * signal. */
void spgc_snapshot_signal_begin(int signal, const char *path);

#endif
