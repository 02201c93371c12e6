/* Heap snapshots: files with all reachable objects and the references between them, in V8's format
 * .heapsnapshot, for Chrome DevTools (Memory tab, Load) and `spgc-heap`. docs/observe.md ("Heap
 * snapshot") describes their nodes, edges and names.
 *
 * A snapshot has the objects that would survive a full collection, without collecting or moving
 * any. The program stops while the system copies its page tables: milliseconds for a gigabyte. Then
 * a forked child marks its copy of the heap and writes the file, while the program continues. The
 * child takes 2 % of the heap's size, and a copy of each page that the program changes meanwhile.
 * The system counts all of the program's memory twice, and must admit that (vm.overcommit_memory).
 *
 * An object keeps its id in later snapshots if it has an identity hash (spgc/identity.h), or did
 * not move. Otherwise only totals of classes can be compared. */
#ifndef SPGC_SNAPSHOT_H
#define SPGC_SNAPSHOT_H

#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Writes a snapshot to the file at `path`, in which `%p` stands for the process ID and `%%` for
 * `%`. The file replaces an older one when it is complete; the call waits for that while other
 * threads run. Any thread, attached or not, also in a forked child; for an attached one it is a
 * safepoint, and then a blocking region (spgc_call_blocking).
 *
 * Errors: SPGC_ERROR_STATE if the heap is not started, if another thread is writing a snapshot, or
 * in a visitor of a stack walk, a listener (for another event than out_of_memory, spgc/events.h) or
 * a function that the collector calls in a pause; SPGC_ERROR_SYSTEM if the file cannot be written,
 * or the child cannot be forked or is killed; SPGC_ERROR_NO_MEMORY; SPGC_ERROR_UNSUPPORTED for more
 * than 613 million objects, which the format cannot number; SPGC_ERROR_INVALID_ARGUMENT for a null
 * path. */
enum spgc_result spgc_snapshot_write(const char *path, struct spgc_error *error);

/* Writes a snapshot as above whenever the process gets the signal, such as SIGUSR2. A thread of the
 * library writes it, so all others may be busy or blocked. Errors are reported in the log. Replaces
 * the signal's handler. A forked child must call this again; until then, the signal only makes it
 * print a line that says so. A null path restores the former handler, after waiting for a snapshot
 * that is being written; for an attached thread that is a blocking region (spgc_call_blocking). Any
 * thread. Errors: SPGC_ERROR_INVALID_ARGUMENT for a signal that cannot be caught or means a fault,
 * or too long a path; SPGC_ERROR_STATE if another signal has been chosen, the signal stands for
 * another file, or another thread is still restoring a handler; for a null path, if the signal was
 * not chosen, or where spgc_snapshot_write is refused; SPGC_ERROR_SYSTEM if the thread cannot be
 * started. */
enum spgc_result spgc_snapshot_on_signal(int signal, const char *path, struct spgc_error *error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
