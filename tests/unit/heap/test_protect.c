#include <pthread.h>
#include <setjmp.h>
#include <unwind.h>

#include "check_main.h"
#include "fatal_check.h"
#include "heap_world.h"
#include "spgc/protect.h"

static void *token = &token;

static void *return_it(void *value) {
  return value;
}

static void *leave_with_it(void *value) {
  spgc_leave(NULL, value);
}

START_TEST(a_call_tells_how_it_ended) {
  bool was_left = true;
  ck_assert_ptr_eq(spgc_protect(return_it, token, &was_left), token);
  ck_assert(!was_left);
  ck_assert_ptr_eq(spgc_protect(leave_with_it, token, &was_left), token);
  ck_assert(was_left);
  ck_assert_ptr_eq(spgc_protect(leave_with_it, NULL, NULL), NULL);
  ck_assert_ptr_null(spgc_protection());
}
END_TEST

static struct spgc_protection *named[4];
static int returned_from;

static void *nest(void *depth) {
  size_t at = (size_t)depth;
  named[at] = spgc_protection();
  if (at == 3)
    spgc_leave(named[1], token);
  bool was_left;
  void *value = spgc_protect(nest, (void *)(at + 1), &was_left);
  ck_assert_uint_eq(at, 0);
  ck_assert(was_left);
  ck_assert_ptr_eq(spgc_protection(), named[0]);
  returned_from++;
  return value;
}

START_TEST(a_call_further_out_is_left_by_name) {
  bool was_left;
  ck_assert_ptr_eq(spgc_protect(nest, (void *)0, &was_left), token);
  ck_assert(!was_left);
  ck_assert_int_eq(returned_from, 1);
}
END_TEST

static void *make_handles_and_leave(void *unused) {
  for (int i = 0; i < 10; i++) {
    spgc_scope_open();
    world_new_leaf(1);
  }
  spgc_leave(NULL, unused);
}

START_TEST(handles_made_in_a_call_end_when_it_is_left) {
  world_open("");
  struct spgc_handle kept = world_new_leaf(7);
  size_t height = spgc_scope_open().height;
  spgc_protect(make_handles_and_leave, NULL, NULL);
  ck_assert_uint_eq(spgc_scope_open().height, height);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes, world_leaf.size);
  ck_assert_uint_eq(world_get_word(kept, 1), 7);
  world_close();
}
END_TEST

static void *protect_and_leave_inside(void *unused) {
  spgc_protect(make_handles_and_leave, NULL, NULL);
  return unused;
}

static void *call_managed_in_protection(void *unused) {
  bool was_left;
  void *value = spgc_protect(protect_and_leave_inside, unused, &was_left);
  ck_assert(!was_left);
  return value;
}

static void *leave_from_managed(void *unused) {
  return spgc_call_managed(make_handles_and_leave, unused);
}

static void *leave_within_the_region(void *unused) {
  bool was_left;
  spgc_protect(leave_from_managed, unused, &was_left);
  ck_assert(was_left);
  spgc_call_managed(call_managed_in_protection, unused);
  return unused;
}

START_TEST(leaving_into_a_blocking_region_keeps_handles_beyond_it) {
  world_open("");
  struct spgc_handle kept = world_new_leaf(7);
  size_t height = spgc_scope_open().height;
  spgc_call_blocking(leave_within_the_region, NULL);
  ck_assert_uint_eq(spgc_scope_open().height, height);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_get_word(kept, 1), 7);
  ck_assert_uint_eq(world_statistics().live_bytes, world_leaf.size);
  world_close();
}
END_TEST

static void *block_and_leave(void *unused) {
  return spgc_call_blocking(leave_with_it, unused);
}

START_TEST(leaving_a_blocking_call_brings_the_thread_back) {
  world_open("");
  for (int i = 0; i < 3; i++) {
    bool was_left;
    ck_assert_ptr_eq(spgc_protect(block_and_leave, token, &was_left), token);
    ck_assert(was_left);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  world_close();
}
END_TEST

static int hook_calls;

static void leave_from_hook(void *context, size_t requested) {
  hook_calls++;
  ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, 60000)));
  spgc_leave(NULL, token);
}

static void *fill_the_heap(void *unused) {
  world_fill(spgc_handle_make(spgc_ref_null()));
  return unused;
}

START_TEST(the_out_of_memory_hook_may_leave_again_and_again) {
  world_require("limit=8m");
  world_open("");
  spgc_set_out_of_memory_hook(leave_from_hook, NULL);
  int rounds = (int)world_amount(5, 5, 2);
  for (int round = 1; round <= rounds; round++) {
    ck_assert_ptr_eq(spgc_protect(fill_the_heap, NULL, NULL), token);
    ck_assert_int_eq(hook_calls, round);
    uint64_t length = world_amount(1000, 1000, 100);
    struct spgc_scope scope = spgc_scope_open();
    world_check_list(world_new_list(length), length);
    spgc_scope_close(scope);
  }
  spgc_set_out_of_memory_hook(NULL, NULL);
  world_close();
}
END_TEST

/* Like pthread_exit and cancellation, but to the place of the call. */
static jmp_buf after_unwinding;

static _Unwind_Reason_Code stop_at(int version, _Unwind_Action actions,
                                   _Unwind_Exception_Class class,
                                   struct _Unwind_Exception *exception,
                                   struct _Unwind_Context *context, void *base) {
  if (_Unwind_GetCFA(context) >= (uintptr_t)base)
    longjmp(after_unwinding, 1);
  return _URC_NO_REASON;
}

static void *unwind_to(void *base) {
  static struct _Unwind_Exception exception;
  _Unwind_ForcedUnwind(&exception, stop_at, base);
  return NULL;
}

static void *protect_again(void *base) {
  return spgc_protect(unwind_to, base, NULL);
}

START_TEST(unwinding_ends_the_calls_it_passes) {
  if (setjmp(after_unwinding) == 0) {
    spgc_protect(protect_again, __builtin_frame_address(0), NULL);
    ck_abort_msg("unwinding came back");
  }
  ck_assert_ptr_null(spgc_protection());
}
END_TEST

static void *exit_thread(void *value) {
  pthread_exit(value);
}

static void *look_and_exit(void *was_none) {
  *(bool *)was_none = spgc_protection() == NULL;
  spgc_protect(exit_thread, NULL, NULL);
  return NULL;
}

START_TEST(each_thread_has_calls_of_its_own_and_may_end_in_one) {
  for (int i = 0; i < 3; i++) {
    bool was_none = false;
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, look_and_exit, &was_none), 0);
    pthread_join(thread, NULL);
    ck_assert(was_none);
  }
}
END_TEST

static void leave_without_a_call(void) {
  spgc_leave(NULL, NULL);
}

static void *note(void *unused) {
  named[0] = spgc_protection();
  return unused;
}

static void *leave_ended(void *unused) {
  spgc_leave(named[0], unused);
}

/* Its end would not be noticed if its frame were at the first call's place. */
__attribute__((noinline)) static void protect_further_in(void) {
  volatile char frame[256];
  frame[0] = 1;
  spgc_protect(leave_ended, NULL, NULL);
  frame[1] = frame[0];
}

static void leave_a_call_that_has_ended(void) {
  spgc_protect(note, NULL, NULL);
  protect_further_in();
}

static void *jump(void *unused) {
  longjmp(after_unwinding, 1);
  return unused;
}

static void *jump_over_a_call(void *unused) {
  if (setjmp(after_unwinding) == 0)
    spgc_protect(jump, unused, NULL);
  return unused;
}

static void skip_a_call_by_longjmp(void) {
  spgc_protect(jump_over_a_call, NULL, NULL);
}

START_TEST(misuse_is_named) {
  check_is_fatal(leave_without_a_call, "spgc_leave: there is no spgc_protect to leave");
  check_is_fatal(leave_a_call_that_has_ended, "has ended, or belongs to another thread or fiber");
  check_is_fatal(skip_a_call_by_longjmp, "was left by longjmp: use spgc_leave");
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-protect", a_call_tells_how_it_ended,
                  a_call_further_out_is_left_by_name, handles_made_in_a_call_end_when_it_is_left,
                  leaving_into_a_blocking_region_keeps_handles_beyond_it,
                  leaving_a_blocking_call_brings_the_thread_back,
                  the_out_of_memory_hook_may_leave_again_and_again,
                  unwinding_ends_the_calls_it_passes,
                  each_thread_has_calls_of_its_own_and_may_end_in_one, misuse_is_named)
