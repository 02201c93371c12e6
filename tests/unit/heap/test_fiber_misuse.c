#include <pthread.h>
#include <unwind.h>

#include "check_main.h"
#include "fatal_check.h"
#include "fiber_world.h"
#include "heap_world.h"
#include "spgc/protect.h"

static void start_world(void) {
  fiber_world_open(__builtin_frame_address(0));
}

static void *switch_away(void *unused) {
  spgc_fiber_switch(fiber_world_own, spgc_protection());
  return unused;
}

static struct spgc_fiber_end protect(void *unused) {
  return (struct spgc_fiber_end){fiber_world_own, spgc_protect(switch_away, unused, NULL)};
}

static struct spgc_fiber *shared;

static void *switch_to_shared(void *unused) {
  spgc_fiber_switch(shared, NULL);
  return unused;
}

static void *attach_and_switch(void *unused) {
  struct spgc_error error;
  spgc_thread_attach(__builtin_frame_address(0), &error);
  return switch_to_shared(unused);
}

static void switch_in_another_thread(void) {
  start_world();
  shared = fiber_world_create(protect);
  pthread_t thread;
  pthread_create(&thread, NULL, attach_and_switch, NULL);
  pthread_join(thread, NULL);
}

static void switch_while_blocking(void) {
  start_world();
  shared = fiber_world_create(protect);
  spgc_call_blocking(switch_to_shared, NULL);
}

static void switch_to_the_running(void) {
  start_world();
  spgc_fiber_switch(fiber_world_own, NULL);
}

static void switch_to_nothing(void) {
  start_world();
  spgc_fiber_switch(NULL, NULL);
}

static struct spgc_fiber_end end_at_once(void *unused) {
  return (struct spgc_fiber_end){fiber_world_own, unused};
}

static void switch_to_a_finished(void) {
  start_world();
  shared = fiber_world_create(end_at_once);
  spgc_fiber_switch(shared, NULL);
  spgc_fiber_switch(shared, NULL);
}

static struct spgc_fiber_end end_in_itself(void *unused) {
  return (struct spgc_fiber_end){shared, unused};
}

static void end_in_the_running(void) {
  start_world();
  shared = fiber_world_create(end_in_itself);
  spgc_fiber_switch(shared, NULL);
}

static struct spgc_fiber_end release_itself(void *unused) {
  spgc_fiber_release(shared);
  return (struct spgc_fiber_end){fiber_world_own, unused};
}

static void release_the_running(void) {
  start_world();
  shared = fiber_world_create(release_itself);
  spgc_fiber_switch(shared, NULL);
}

static void release_the_own(void) {
  start_world();
  spgc_fiber_release(fiber_world_own);
}

static void detach_with_fibers(void) {
  start_world();
  fiber_world_create(protect);
  spgc_thread_detach();
}

static struct spgc_fiber_end detach_here(void *unused) {
  spgc_thread_detach();
  return (struct spgc_fiber_end){fiber_world_own, unused};
}

static void detach_on_a_fiber(void) {
  start_world();
  spgc_fiber_switch(fiber_world_create(detach_here), NULL);
}

static struct spgc_fiber_end throw_out(void *unused) {
  static struct _Unwind_Exception exception;
  _Unwind_RaiseException(&exception);
  return (struct spgc_fiber_end){fiber_world_own, unused};
}

static void throw_out_of_a_fiber(void) {
  start_world();
  spgc_fiber_switch(fiber_world_create(throw_out), NULL);
}

static void leave_a_call_of_another_stack(void) {
  start_world();
  spgc_leave(spgc_fiber_switch(fiber_world_create(protect), NULL), NULL);
}

static void *attach_and_ask(void *unused) {
  struct spgc_error error;
  spgc_thread_attach(__builtin_frame_address(0), &error);
  spgc_fiber_is_finished(shared);
  return unused;
}

static void ask_in_another_thread(void) {
  start_world();
  shared = fiber_world_create(protect);
  pthread_t thread;
  pthread_create(&thread, NULL, attach_and_ask, NULL);
  pthread_join(thread, NULL);
}

static void ask_of_nothing(void) {
  start_world();
  spgc_fiber_is_finished(NULL);
}

static void walk_nothing(void) {
  static const struct spgc_stack_visitor visitor;
  start_world();
  spgc_fiber_walk(NULL, &visitor, NULL);
}

static void create_nowhere(void) {
  start_world();
  spgc_fiber_create(protect, NULL, SPGC_FIBER_STACK_LEAST, NULL, NULL);
}

START_TEST(misuse_is_named) {
  check_is_fatal(ask_in_another_thread, "spgc_fiber_is_finished: fiber");
  check_is_fatal(ask_of_nothing, "spgc_fiber_is_finished: no fiber is given");
  check_is_fatal(walk_nothing, "spgc_fiber_walk: no fiber is given");
  check_is_fatal(create_nowhere, "spgc_fiber_create: no place for the fiber is given");
  check_is_fatal(switch_in_another_thread, "belongs to another thread");
  check_is_fatal(switch_while_blocking,
                 "spgc_fiber_switch: the calling thread is in spgc_call_blocking; go back");
  check_is_fatal(switch_to_the_running, "is running already");
  check_is_fatal(switch_to_nothing, "spgc_fiber_switch: there is no fiber");
  check_is_fatal(switch_to_a_finished, "has finished");
  check_is_fatal(end_in_the_running, "the end of a fiber's entry: fiber");
  check_is_fatal(release_the_running, "spgc_fiber_release: fiber");
  check_is_fatal(release_the_own, "spgc_fiber_release: the thread's own stack");
  check_is_fatal(detach_with_fibers, "spgc_thread_detach: 1 fibers of the thread are not released");
  check_is_fatal(detach_on_a_fiber, "spgc_thread_detach: the thread runs a fiber");
  check_is_fatal(throw_out_of_a_fiber, "an exception leaves the entry of a fiber");
  check_is_fatal(leave_a_call_of_another_stack, "belongs to another thread or fiber");
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-fiber-misuse", misuse_is_named)
