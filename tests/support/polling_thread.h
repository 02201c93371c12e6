/* An attached thread that polls like a loop of generated code until released. */
#ifndef SPGC_TESTS_POLLING_THREAD_H
#define SPGC_TESTS_POLLING_THREAD_H

#include <pthread.h>
#include <stdatomic.h>

struct polling_thread {
  pthread_t thread;
  atomic_bool polls, is_done;
};

/* Returns in its first blocking call. The caller is attached. */
void polling_thread_start(struct polling_thread *other);

void polling_thread_end(struct polling_thread *other);

#endif
