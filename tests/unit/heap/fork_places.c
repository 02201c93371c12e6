#include "fork_places.h"

#include <pthread.h>
#include <unistd.h>

#include "check_main.h"
#include "fork_child.h"
#include "heap_world.h"
#include "spgc/generated.h"

pid_t forked;

void *fork_now(void *context) {
  forked = fork();
  return context;
}

static void fork_running(void) {
  fork_now(NULL);
}

static void fork_blocking(void) {
  spgc_call_blocking(fork_now, NULL);
}

static void *fork_and_use(void *context) {
  fork_now(NULL);
  fork_use_tables();
  return context;
}

static void *fork_managed_in_blocking(void *context) {
  spgc_call_managed(fork_and_use, NULL);
  return context;
}

static void fork_managed(void) {
  spgc_call_blocking(fork_managed_in_blocking, NULL);
}

static void fork_in_hook(void *context, size_t requested_bytes) {
  fork_now(context);
}

static void fork_in_out_of_memory_hook(void) {
  forked = -1;
  while (forked == -1) { /* others set hooks, too */
    spgc_set_out_of_memory_hook(fork_in_hook, NULL);
    fork_require(spgc_ref_is_null(spgc_allocate_array(&world_bytes, UINT32_MAX)),
                 "too much was granted");
  }
}

static void fork_interrupted(void *context) {
  fork_now(context);
}

static void fork_in_interrupt_hook(void) {
  spgc_set_interrupt_hook(fork_interrupted, NULL);
  spgc_thread_interrupt();
  spgc_poll_slow();
  spgc_set_interrupt_hook(NULL, NULL);
}

static void *fork_unattached_thread(void *context) {
  fork_now(NULL);
  if (forked == 0) {
    alarm(FORK_HANG_SECONDS);
    fork_require(spgc_thread_attach(__builtin_frame_address(0), NULL) == SPGC_OK,
                 "the child cannot attach");
    fork_use_everything_in_child();
  }
  return context;
}

static void fork_unattached(void) {
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, fork_unattached_thread, NULL), 0);
  spgc_call_blocking(fork_join, &thread);
}

static void fork_in_child(void) {
  pid_t child = fork();
  if (child != 0) {
    forked = child;
    return;
  }
  fork_now(NULL);
  if (forked != 0) {
    fork_expect_end(forked);
    _exit(0);
  }
}

const struct fork_place fork_places[FORK_PLACES] = {
    {"running", fork_running},
    {"in spgc_call_blocking", fork_blocking},
    {"in spgc_call_managed", fork_managed},
    {"in the out-of-memory hook", fork_in_out_of_memory_hook},
    {"in the interrupt hook", fork_in_interrupt_hook},
    {"not attached", fork_unattached},
    {"in a child", fork_in_child},
};
