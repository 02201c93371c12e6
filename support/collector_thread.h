/* The library's threads. They block all signals except those of their own faults, which handlers
 * explain. */
#ifndef SPGC_SUPPORT_COLLECTOR_THREAD_H
#define SPGC_SUPPORT_COLLECTOR_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* For a thread that does not recurse, without the C library's part. Every stack counts if memory is
 * limited. */
enum { SPGC_SMALL_STACK_BYTES = 256 << 10 };

/* For debug information: libdw needs 128 to 200 KiB, which may be more than the program's
 * default. */
enum { SPGC_READER_STACK_BYTES = 1 << 20 };

/* Set by the worker pool's threads and the cycle's. */
extern _Thread_local bool spgc_is_collector_thread __attribute__((tls_model("initial-exec")));

/* With `stack_bytes` for the thread's calls, or the program's default if the C library requires
 * more. Returns 0, or the error of pthread_create. */
int spgc_collector_thread_start(pthread_t *thread, const char *name, size_t stack_bytes,
                                void *(*run)(void *argument), void *argument);

#endif
