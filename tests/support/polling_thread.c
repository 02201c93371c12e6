#include "tests/support/polling_thread.h"

#include "spgc/generated.h"
#include "spgc/thread.h"
#include "tests/support/assertions.h"

static void poll_until(const atomic_bool *flag) {
  while (!atomic_load(flag))
    if (__atomic_load_n(&spgc_thread.poll, __ATOMIC_RELAXED) != 0)
      spgc_poll_slow();
}

static void *tell_that_it_polls(void *other) {
  atomic_store(&((struct polling_thread *)other)->polls, true);
  return NULL;
}

static void *run(void *argument) {
  struct polling_thread *other = argument;
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  spgc_call_blocking(tell_that_it_polls, other);
  poll_until(&other->is_done);
  spgc_thread_detach();
  return NULL;
}

static void *join(void *other) {
  ck_assert_int_eq(pthread_join(((struct polling_thread *)other)->thread, NULL), 0);
  return NULL;
}

void polling_thread_start(struct polling_thread *other) {
  atomic_init(&other->polls, false);
  atomic_init(&other->is_done, false);
  ck_assert_int_eq(pthread_create(&other->thread, NULL, run, other), 0);
  poll_until(&other->polls);
}

void polling_thread_end(struct polling_thread *other) {
  atomic_store(&other->is_done, true);
  spgc_call_blocking(join, other);
}
