#include "gc/trace/collector_thread.h"

#include <signal.h>

_Thread_local bool spgc_is_collector_thread;

int spgc_collector_thread_start(pthread_t *thread, const char *name, size_t stack_bytes,
                                void *(*run)(void *argument), void *argument) {
  pthread_attr_t attributes;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  if (stack_bytes != 0)
    pthread_attr_setstacksize(&attributes, stack_bytes);
  int failed = pthread_create(thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed == 0)
    pthread_setname_np(*thread, name);
  return failed;
}
