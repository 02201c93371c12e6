/* The main function of a program on the collector: start, attach, run, detach and stop in one call
 * (an example is in docs/embedding.md). */
#ifndef SPGC_MAIN_H
#define SPGC_MAIN_H

#include "spgc/heap.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Starts the heap with `options` (NULL: the defaults), attaches the calling thread, calls
 * `function`, detaches the thread and stops the heap.
 *
 * Other threads may attach, but must have detached when it returns (fatal otherwise). It may leave
 * by an exception, and the thread may end in it; the heap is then stopped too. It must not leave by
 * longjmp, or by spgc_leave to a call around this one.
 *
 * Errors, before the function is called: those of spgc_start and spgc_thread_attach, and
 * SPGC_ERROR_INVALID_ARGUMENT without a function. They leave the heap as it was. Any thread. */
enum spgc_result spgc_main(const struct spgc_options *options, void (*function)(void *argument),
                           void *argument, struct spgc_error *error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
