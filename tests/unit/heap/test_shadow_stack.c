/* We have no such machine, so the linker replaces the query. */
#include <string.h>

#include "check_main.h"
#include "fatal_check.h"
#include "gc/mutator/mutator.h"
#include "heap_world.h"
#include "spgc/fiber.h"
#include "spgc/protect.h"
#include "spgc/stackwalk.h"

static bool is_on;

bool __wrap_spgc_shadow_stack_is_on(void);
bool __wrap_spgc_shadow_stack_is_on(void) {
  return is_on;
}

static void attach_and_count(int watermarks) {
  world_open("");
  struct spgc_watermark *another = spgc_watermark_create();
  ck_assert_int_eq((spgc_mutator_self()->watermark != NULL) + (another != NULL), watermarks);
  spgc_watermark_destroy(another);
  world_close();
}

START_TEST(only_threads_without_one_get_return_barriers) {
  attach_and_count(2);
  is_on = true;
  attach_and_count(0);
}
END_TEST

static struct spgc_fiber_end end_at_once(void *value) {
  return (struct spgc_fiber_end){NULL, value};
}

START_TEST(fibers_are_refused) {
  struct spgc_error error;
  struct spgc_fiber *fiber;
  is_on = true;
  world_open("");
  ck_assert_int_eq(spgc_fiber_create(end_at_once, NULL, SPGC_FIBER_STACK_LEAST, &fiber, &error),
                   SPGC_ERROR_UNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(error.message, "spgc_fiber_create: the thread has a shadow stack"));
  ck_assert_ptr_nonnull(strstr(error.message, "without -z shstk"));
  world_close();
}
END_TEST

static void *leave(void *value) {
  spgc_leave(NULL, value);
}

static void *stay(void *value) {
  return value;
}

static void leave_a_call(void) {
  is_on = true;
  world_open("");
  spgc_protect(leave, NULL, NULL);
}

START_TEST(protected_calls_may_return_and_not_be_left) {
  bool was_left;
  is_on = true;
  world_open("");
  ck_assert_ptr_eq(spgc_protect(stay, &was_left, &was_left), &was_left);
  ck_assert(!was_left);
  world_close();
  check_is_fatal(leave_a_call, "a protected call cannot be left: the thread has a shadow stack");
}
END_TEST

CHECK_MAIN("heap-shadow-stack", only_threads_without_one_get_return_barriers, fibers_are_refused,
           protected_calls_may_return_and_not_be_left)
