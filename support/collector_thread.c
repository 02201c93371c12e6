#include "support/collector_thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* Weak, because a static program may lack it. */
#pragma weak dlsym

_Thread_local bool spgc_is_collector_thread;

static int add_thread_variables(struct dl_phdr_info *object, size_t size, void *bytes) {
  for (size_t i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_TLS)
      *(size_t *)bytes += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
  return 0;
}

/* The C library's part of each thread's stack, with the initial thread-local variables. glibc
 * reports it; elsewhere, most of it follows from the loaded objects. */
static size_t find_taken_bytes(void) {
  typedef size_t find_least(const pthread_attr_t *attributes);
  find_least *find = NULL;
  size_t bytes = 0;
  if (dlsym != NULL)
    *(void **)&find = dlsym(RTLD_DEFAULT, "__pthread_get_minstack");
  if (find != NULL) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    bytes = find(&attributes);
    pthread_attr_destroy(&attributes);
  } else {
    dl_iterate_phdr(add_thread_variables, &bytes);
  }
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

/* Found when the library is loaded. It takes the loader's lock, whose holder may wait for the end
 * of a pause, and threads start in pauses. */
static size_t taken_bytes(void) {
  static _Atomic size_t taken;
  if (atomic_load(&taken) == 0)
    atomic_store(&taken, find_taken_bytes());
  return atomic_load(&taken);
}

__attribute__((constructor)) static void find_at_start(void) {
  taken_bytes();
}

static int create(pthread_t *thread, size_t stack_bytes, void *(*run)(void *argument),
                  void *argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack_bytes != 0)
    pthread_attr_setstacksize(&attributes, stack_bytes + taken_bytes());
  int failed = pthread_create(thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  return failed;
}

/* EINVAL: the stack is too small for the thread-local variables after all. */
int spgc_collector_thread_start(pthread_t *thread, const char *name, size_t stack_bytes,
                                void *(*run)(void *argument), void *argument) {
  static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof own_faults / sizeof *own_faults; i++)
    sigdelset(&all, own_faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = create(thread, stack_bytes, run, argument);
  if (failed == EINVAL)
    failed = create(thread, 0, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed == 0)
    pthread_setname_np(*thread, name);
  return failed;
}
