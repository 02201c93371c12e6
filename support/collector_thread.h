/* The library's threads. They block all signals except their own faults, which handlers explain. */
#ifndef SPGC_SUPPORT_COLLECTOR_THREAD_H
#define SPGC_SUPPORT_COLLECTOR_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* For a thread that does not recurse, without the C library's part. Small, because every stack
 * counts if memory is limited. */
enum { SPGC_SMALL_STACK_BYTES = 256 << 10 };

/* For debug information: libdw needs 128 to 200 KiB, which may exceed the program's default. */
enum { SPGC_READER_STACK_BYTES = 1 << 20 };

/* Set by the worker pool's threads and the cycle's. */
extern _Thread_local bool spgc_is_collector_thread __attribute__((tls_model("initial-exec")));

/* `stack_bytes` are for the thread's calls. If the C library requires more, it gets the program's
 * default. Returns 0, or the error of pthread_create. */
int spgc_collector_thread_start(pthread_t *thread, const char *name, size_t stack_bytes,
                                void *(*run)(void *argument), void *argument);

#endif
