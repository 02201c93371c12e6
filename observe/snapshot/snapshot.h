/* Heap snapshots that the options ask for (spgc/snapshot.h has the call).
 *
 *   program    stop -> roots are listed -> clone -> resume -> waits in a blocking region -> names,
 *                                            |                  of places meanwhile         rename
 *   child                                    +-> marks -> counts -> writes nodes, edges, strings
 */
#ifndef SPGC_OBSERVE_SNAPSHOT_SNAPSHOT_H
#define SPGC_OBSERVE_SNAPSHOT_SNAPSHOT_H

#include "spgc/snapshot.h"

/* Handles the option `snapshot`; called after the heap was started, and before it is stopped, with
 * nothing locked. The file is written at the first out of memory, before the hook is called; else
 * when the heap is stopped or the process exits. With a signal it is written at each signal
 * instead. */
void spgc_snapshot_option_begin(void);
void spgc_snapshot_option_end(void);

/* Takes the option's signal, as spgc_snapshot_on_signal does. Forked children also serve it, if
 * their files have their own names. */
void spgc_snapshot_signal_begin(int signal, const char *path);

#endif
