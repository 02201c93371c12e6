/* The library's own threads. They block all signals, so that the program's threads get them, except
 * those raised by their own faults, which handlers explain. */
#ifndef SPGC_SUPPORT_COLLECTOR_THREAD_H
#define SPGC_SUPPORT_COLLECTOR_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Stack bytes of a thread that does not recurse, without what the C library takes for thread-local
 * variables. Small, because every stack counts if memory is limited. */
enum { SPGC_SMALL_STACK_BYTES = 256 << 10 };

/* For a thread that reads debug information: libdw needs 128 to 200 KiB, which may be more than the
 * program's default. */
enum { SPGC_READER_STACK_BYTES = 1 << 20 };

/* Set by each thread of the worker pool and of the cycle, when it begins. */
extern _Thread_local bool spgc_is_collector_thread __attribute__((tls_model("initial-exec")));

/* Starts a thread that calls run(argument) with `stack_bytes` for its calls, or with the program's
 * default if the C library requires more. Returns 0, or the error of pthread_create. */
int spgc_collector_thread_start(pthread_t *thread, const char *name, size_t stack_bytes,
                                void *(*run)(void *argument), void *argument);

#endif
