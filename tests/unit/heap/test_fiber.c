#include <fenv.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "fiber_world.h"
#include "heap_world.h"
#include "spgc/protect.h"

static void *token = &token;

static struct spgc_fiber_end count_to_three(void *value) {
  ck_assert_ptr_eq(value, (void *)10);
  for (long i = 1; i <= 3; i++)
    value = spgc_fiber_switch(fiber_world_own, (void *)i);
  return (struct spgc_fiber_end){fiber_world_own, value};
}

START_TEST(values_are_passed_both_ways) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_fiber *fiber = fiber_world_create(count_to_three);
  for (long i = 1; i <= 3; i++) {
    ck_assert_ptr_eq(spgc_fiber_switch(fiber, (void *)(i * 10)), (void *)i);
    ck_assert(!spgc_fiber_is_finished(fiber));
    ck_assert_ptr_eq(spgc_fiber_current(), fiber_world_own);
  }
  ck_assert_ptr_eq(spgc_fiber_switch(fiber, token), token);
  ck_assert(spgc_fiber_is_finished(fiber));
  spgc_fiber_release(fiber);
  spgc_fiber_release(NULL);
  world_close();
}
END_TEST

static struct spgc_fiber_end keep_handles(void *number) {
  spgc_scope_open();
  struct spgc_handle handle = world_new_leaf((uint64_t)number);
  spgc_thread.stack_limit = (uintptr_t)number;
  spgc_fiber_switch(fiber_world_own, NULL);
  ck_assert_uint_eq(spgc_thread.stack_limit, (uintptr_t)number);
  spgc_handle_set(handle, spgc_handle_get(world_new_leaf((uint64_t)number + 1)));
  spgc_fiber_switch(fiber_world_own, handle.slot);
  ck_assert_uint_eq(world_get_word(handle, 1), (uint64_t)number + 2);
  return (struct spgc_fiber_end){fiber_world_own, NULL};
}

START_TEST(each_has_handles_and_a_stack_limit_of_its_own) {
  enum { COUNT = 20 };
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_fiber *fibers[COUNT];
  size_t height = spgc_scope_open().height;
  spgc_thread.stack_limit = 4711;
  for (size_t i = 0; i < COUNT; i++) {
    fibers[i] = fiber_world_create(keep_handles);
    spgc_fiber_switch(fibers[i], (void *)i);
    ck_assert_uint_eq(spgc_thread.stack_limit, 4711);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, COUNT * world_leaf.size);
  for (size_t i = 0; i < COUNT; i++) {
    struct spgc_handle handle = {spgc_fiber_switch(fibers[i], NULL)};
    spgc_collect(SPGC_COLLECTION_MINOR);
    struct spgc_scope scope = spgc_scope_open();
    spgc_handle_set(handle, spgc_handle_get(world_new_leaf(i + 2)));
    spgc_scope_close(scope);
    spgc_collect(SPGC_COLLECTION_MINOR);
    world_verify();
  }
  ck_assert_uint_eq(spgc_scope_open().height, height);
  for (size_t i = 0; i < COUNT; i++) {
    if (i % 2 == 0)
      spgc_fiber_switch(fibers[i], NULL);
    spgc_fiber_release(fibers[i]);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 0);
  world_close();
}
END_TEST

static void *leave_with_token(void *unused) {
  spgc_leave(NULL, token);
}

static void *switch_away_and_leave(void *unused) {
  spgc_fiber_switch(fiber_world_own, spgc_protection());
  spgc_leave(NULL, token);
}

static struct spgc_fiber_end protect(void *unused) {
  ck_assert_ptr_null(spgc_protection());
  bool was_left;
  void *value = spgc_protect(switch_away_and_leave, unused, &was_left);
  ck_assert(was_left);
  return (struct spgc_fiber_end){fiber_world_own, value};
}

START_TEST(protected_calls_are_the_fibers_own) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_fiber *fiber = fiber_world_create(protect);
  ck_assert_ptr_nonnull(spgc_fiber_switch(fiber, NULL));
  ck_assert_ptr_null(spgc_protection());
  ck_assert_ptr_eq(spgc_protect(leave_with_token, NULL, NULL), token);
  ck_assert_ptr_eq(spgc_fiber_switch(fiber, NULL), token);
  spgc_fiber_release(fiber);
  world_close();
}
END_TEST

static struct spgc_fiber_end round_upwards(void *unused) {
  ck_assert_int_eq(fegetround(), FE_TONEAREST);
  fesetround(FE_UPWARD);
  spgc_fiber_switch(fiber_world_own, NULL);
  ck_assert_int_eq(fegetround(), FE_UPWARD);
  return (struct spgc_fiber_end){fiber_world_own, NULL};
}

START_TEST(rounding_modes_are_kept_as_by_calls) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_fiber *fiber = fiber_world_create(round_upwards);
  spgc_fiber_switch(fiber, NULL);
  ck_assert_int_eq(fegetround(), FE_TONEAREST);
  fesetround(FE_DOWNWARD);
  spgc_fiber_switch(fiber, NULL);
  ck_assert_int_eq(fegetround(), FE_DOWNWARD);
  spgc_fiber_release(fiber);
  world_close();
}
END_TEST

static void *do_nothing(void *value) {
  return value;
}

static void *switch_and_collect(void *unused) {
  spgc_fiber_switch(fiber_world_own, NULL);
  spgc_collect(SPGC_COLLECTION_FULL);
  return unused;
}

static void *call_back(void *unused) {
  return spgc_call_managed(switch_and_collect, unused);
}

static struct spgc_fiber_end block(void *unused) {
  struct spgc_handle handle = world_new_leaf(5);
  spgc_call_blocking(call_back, unused);
  ck_assert_uint_eq(world_get_word(handle, 1), 5);
  return (struct spgc_fiber_end){fiber_world_own, NULL};
}

START_TEST(blocking_calls_are_suspended_with_their_fiber) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_fiber *fibers[3];
  for (int i = 0; i < 3; i++) {
    fibers[i] = fiber_world_create(block);
    spgc_fiber_switch(fibers[i], NULL);
    spgc_call_blocking(do_nothing, NULL);
    spgc_collect(SPGC_COLLECTION_MINOR);
  }
  for (int i = 0; i < 3; i++) {
    spgc_fiber_switch(fibers[i], NULL);
    ck_assert(spgc_fiber_is_finished(fibers[i]));
    spgc_fiber_release(fibers[i]);
  }
  world_close();
}
END_TEST

/* Detaching checks for active blocking calls on the thread's own stack. */
START_TEST(blocking_calls_end_with_a_fiber_that_is_released) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_fiber *fiber = fiber_world_create(block);
  spgc_fiber_switch(fiber, NULL);
  spgc_fiber_release(fiber);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 0);
  world_close();
}
END_TEST

static void *switch_and_leave(void *fiber) {
  spgc_fiber_switch(fiber, NULL);
  spgc_leave(NULL, token);
}

START_TEST(leaving_ends_no_blocking_call_of_another_fiber) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_fiber *fiber = fiber_world_create(block);
  ck_assert_ptr_eq(spgc_protect(switch_and_leave, fiber, NULL), token);
  spgc_fiber_switch(fiber, NULL);
  ck_assert(spgc_fiber_is_finished(fiber));
  spgc_fiber_release(fiber);
  world_close();
}
END_TEST

static int hook_calls;

static void leave_from_hook(void *context, size_t requested) {
  hook_calls++;
  spgc_leave(NULL, token);
}

static void *fill_the_heap(void *unused) {
  world_fill(spgc_handle_make(spgc_ref_null()));
  return unused;
}

static uint64_t fills(void) {
  return world_amount(3, 3, 2);
}

static struct spgc_fiber_end run_out_of_memory(void *unused) {
  for (uint64_t i = fills(); i != 0; i--)
    ck_assert_ptr_eq(spgc_protect(fill_the_heap, unused, NULL), token);
  return (struct spgc_fiber_end){fiber_world_own, token};
}

START_TEST(memory_runs_out_on_a_fiber_as_elsewhere) {
  world_require("limit=8m");
  fiber_world_open(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(leave_from_hook, NULL);
  struct spgc_fiber *fiber = fiber_world_create(run_out_of_memory);
  ck_assert_ptr_eq(spgc_fiber_switch(fiber, NULL), token);
  ck_assert_uint_eq((unsigned)hook_calls, fills());
  spgc_fiber_release(fiber);
  spgc_set_out_of_memory_hook(NULL, NULL);
  world_close();
}
END_TEST

static void begin_with_fibers(void *base) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_thread_attach(base, &error), SPGC_OK);
  fiber_world_own = spgc_fiber_current();
  for (int i = 0; i < 5; i++)
    spgc_fiber_switch(fiber_world_create(keep_handles), NULL);
}

static void *end_with_fibers(void *exits) {
  begin_with_fibers(__builtin_frame_address(0));
  pthread_exit(exits);
}

static struct spgc_fiber_end end_thread(void *exits) {
  world_new_leaf(1);
  pthread_exit(exits);
}

/* The frames that are never returned from have gaps between their variables, which
 * AddressSanitizer poisons. */
static void *go_deeper_and_end(void *exits, int depth) {
  char marks[40];
  memset(marks, depth, sizeof marks);
  __asm__ volatile("" ::"r"(marks) : "memory");
  return depth == 0 ? spgc_fiber_switch(fiber_world_create(end_thread), exits)
                    : go_deeper_and_end(exits, depth - 1);
}

static void *end_on_a_fiber(void *exits) {
  begin_with_fibers(__builtin_frame_address(0));
  world_new_leaf(2);
  return go_deeper_and_end(exits, 100);
}

START_TEST(a_thread_that_ends_releases_its_fibers) {
  world_open("log=all:/dev/null");
  for (int i = 0; i < 4; i++) {
    pthread_t thread;
    ck_assert_int_eq(
        pthread_create(&thread, NULL, i % 2 == 0 ? end_with_fibers : end_on_a_fiber, token), 0);
    while (spgc_call_blocking(do_nothing, token) != token || pthread_tryjoin_np(thread, NULL) != 0)
      spgc_collect(SPGC_COLLECTION_MINOR);
  }
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, 0);
  world_close();
}
END_TEST

static struct spgc_fiber_end fork_on_a_fiber(void *status) {
  struct spgc_fiber *back = fiber_world_own, *other = fiber_world_create(keep_handles);
  fiber_world_own = spgc_fiber_current();
  spgc_fiber_switch(other, NULL);
  pid_t child = fork();
  if (child == 0) {
    spgc_collect(SPGC_COLLECTION_FULL);
    struct spgc_handle handle = {spgc_fiber_switch(other, NULL)};
    _exit(world_get_word(handle, 1) == 1 ? 0 : 1);
  }
  waitpid(child, status, 0);
  return (struct spgc_fiber_end){back, NULL};
}

/* A child has only the fibers of the thread that forked. */
static void *wait_with_fibers(void *ready) {
  struct spgc_error error;
  spgc_thread_attach(__builtin_frame_address(0), &error);
  fiber_world_own = spgc_fiber_current();
  spgc_fiber_switch(fiber_world_create(keep_handles), NULL);
  spgc_fiber_switch(fiber_world_create(fork_on_a_fiber), ready);
  return NULL;
}

START_TEST(a_child_process_goes_on_with_its_threads_fibers) {
  world_open("");
  int status = -1;
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, wait_with_fibers, &status), 0);
  while (spgc_call_blocking(do_nothing, token) != token || pthread_tryjoin_np(thread, NULL) != 0)
    spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_int_eq(status, 0);
  world_close();
}
END_TEST

START_TEST(a_stack_may_be_the_callers) {
  fiber_world_open(__builtin_frame_address(0));
  char *stack = malloc(SPGC_FIBER_STACK_LEAST + 1);
  struct spgc_fiber *fiber;
  struct spgc_error error;
  ck_assert_msg(spgc_fiber_create(count_to_three, stack + 1, SPGC_FIBER_STACK_LEAST, &fiber,
                                  &error) == SPGC_OK,
                "%s", error.message);
  spgc_fiber_switch(fiber, (void *)10);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_ptr_eq(spgc_fiber_switch(fiber, (void *)10), (void *)2);
  spgc_fiber_release(fiber);
  free(stack);
  world_close();
}
END_TEST

/* AddressSanitizer poisons the gaps between a frame's variables. */
static struct spgc_fiber_end leave_marks(void *value) {
  char marks[64];
  memset(marks, 1, sizeof marks);
  __asm__ volatile("" : : "r"(marks) : "memory");
  value = spgc_fiber_switch(fiber_world_own, value);
  return (struct spgc_fiber_end){fiber_world_own, value};
}

START_TEST(the_stack_of_a_released_fiber_may_be_used_again) {
  static _Alignas(16) char stack[SPGC_FIBER_STACK_LEAST];
  struct spgc_fiber *fiber;
  struct spgc_error error;
  fiber_world_open(__builtin_frame_address(0));
  ck_assert(spgc_fiber_create(leave_marks, stack, sizeof stack, &fiber, &error) == SPGC_OK);
  spgc_fiber_switch(fiber, NULL);
  spgc_fiber_release(fiber);
  memset(stack, 0, sizeof stack);
  world_close();
}
END_TEST

START_TEST(arguments_are_checked) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_fiber *fiber = NULL;
  struct spgc_error error;
  ck_assert_int_eq(spgc_fiber_create(NULL, NULL, 1 << 20, &fiber, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_fiber_create(protect, NULL, 4096, &fiber, &error),
                   SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_fiber_create(protect, NULL, SIZE_MAX, &fiber, &error),
                   SPGC_ERROR_NO_MEMORY);
  ck_assert_int_eq(spgc_fiber_create(protect, NULL, SIZE_MAX / 2, &fiber, &error),
                   SPGC_ERROR_NO_MEMORY);
  ck_assert_ptr_null(fiber);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-fiber", values_are_passed_both_ways,
                  each_has_handles_and_a_stack_limit_of_its_own, protected_calls_are_the_fibers_own,
                  rounding_modes_are_kept_as_by_calls,
                  blocking_calls_are_suspended_with_their_fiber,
                  blocking_calls_end_with_a_fiber_that_is_released,
                  leaving_ends_no_blocking_call_of_another_fiber,
                  memory_runs_out_on_a_fiber_as_elsewhere, a_thread_that_ends_releases_its_fibers,
                  a_child_process_goes_on_with_its_threads_fibers, a_stack_may_be_the_callers,
                  the_stack_of_a_released_fiber_may_be_used_again, arguments_are_checked)
