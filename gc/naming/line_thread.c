#include "gc/naming/line_thread.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "support/collector_thread.h"

struct call {
  void (*find)(void *context);
  void *context;
  int error;
};

int spgc_line_thread_own_descriptors(void) {
  return close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_UNSHARE) == 0 ? 0 : errno;
}

static void *run(void *argument) {
  struct call *call = argument;
  call->error = spgc_line_thread_own_descriptors();
  if (call->error == 0)
    call->find(call->context);
  return NULL;
}

int spgc_line_thread_call(void (*find)(void *context), void *context) {
  struct call call = {.find = find, .context = context};
  pthread_t thread;
  int refused =
      spgc_collector_thread_start(&thread, "spgc-lines", SPGC_READER_STACK_BYTES, run, &call);
  if (refused != 0)
    return refused;
  pthread_join(thread, NULL);
  return call.error;
}
