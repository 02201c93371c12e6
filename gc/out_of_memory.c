#include "gc/out_of_memory.h"

#include <pthread.h>

#include "gc/runtime.h"

static pthread_mutex_t hook_lock = PTHREAD_MUTEX_INITIALIZER;
static spgc_out_of_memory_hook hook; /* any thread, under hook_lock */
static void *hook_context;

static char *reporting_frame; /* frame that called the hook, which has not returned; the attached thread */

void spgc_set_out_of_memory_hook(spgc_out_of_memory_hook new_hook, void *context) {
  pthread_mutex_lock(&hook_lock);
  hook = new_hook;
  hook_context = context;
  pthread_mutex_unlock(&hook_lock);
}

void spgc_out_of_memory_reset(void) {
  reporting_frame = NULL;
}

/* Whether the caller, whose frame is given, was called by a hook that is still active. The stack grows down. */
static bool inside_hook(const char *frame) {
  return reporting_frame != NULL && spgc_runtime.sizing.reserve_open && frame < reporting_frame;
}

void spgc_out_of_memory_report(size_t requested_bytes) {
  char *frame = __builtin_frame_address(0);
  if (inside_hook(frame))
    return;
  pthread_mutex_lock(&hook_lock);
  spgc_out_of_memory_hook called = hook;
  void *context = hook_context;
  pthread_mutex_unlock(&hook_lock);
  if (called == NULL)
    return;
  reporting_frame = frame;
  spgc_runtime.sizing.reserve_open = true;
  called(context, requested_bytes);
  spgc_runtime.sizing.reserve_open = false;
  reporting_frame = NULL;
}
