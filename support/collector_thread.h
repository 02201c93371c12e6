/* The library's own threads. Signals are blocked in them, so that the program's own threads get
 * them; except those that a thread raises by a fault of its own, so that handlers explain it. */
#ifndef SPGC_SUPPORT_COLLECTOR_THREAD_H
#define SPGC_SUPPORT_COLLECTOR_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of the stack of a thread that does not recurse, without what the C library takes from it
 * for thread-local variables. It is small, because every stack counts where memory is limited. */
enum { SPGC_SMALL_STACK_BYTES = 256 << 10 };

/* The same for a thread that reads debug information: libdw needs between 128 and 200 KiB for it,
 * and no other thread of the program may have that much by default. */
enum { SPGC_READER_STACK_BYTES = 1 << 20 };

/* Set by each thread of the worker pool and of the cycle, when it begins. */
extern _Thread_local bool spgc_is_collector_thread __attribute__((tls_model("initial-exec")));

/* Starts a thread that calls run(argument) with `stack_bytes` for it and what it calls, or with as
 * much as the program's threads have by default, if the C library wants that. Returns 0, or the
 * error of pthread_create. */
int spgc_collector_thread_start(pthread_t *thread, const char *name, size_t stack_bytes,
                                void *(*run)(void *argument), void *argument);

#endif
