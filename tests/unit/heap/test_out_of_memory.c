#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/events.h"
#include "spgc/generated.h"
#include "spgc/pin.h"
#include "support/random.h"

static struct {
  int calls;
  size_t requested;
  uint64_t reserve_bytes;
  jmp_buf escape;
} report;

/* A few MiB, soon full. */
static uint64_t limit(void) {
  return world_amount(8, 3, 3) << 20;
}

static void open_small(void *base) {
  char options[40];
  snprintf(options, sizeof options, "limit=%" PRIu64, limit());
  world_open_at(base, options);
}

static void count_calls(void *context, size_t requested) {
  ck_assert_ptr_eq(context, &report);
  report.calls++;
  report.requested = requested;
}

static uint64_t length_of(struct spgc_handle list) {
  uint64_t count = 0;
  for (struct spgc_ref at = spgc_handle_get(list); !spgc_ref_is_null(at); count++)
    at = spgc_ref_from_word(((const uint64_t *)spgc_ref_memory(at))[2]);
  return count;
}

START_TEST(exhaustion_returns_null_and_loses_nothing) {
  open_small(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(count_calls, &report);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  uint64_t count = world_fill(list);
  ck_assert_int_eq(report.calls, 1);
  ck_assert_uint_eq(report.requested, world_element_bytes());
  uint64_t least = world_is_stressed()
                       ? limit() / 3
                       : limit() / 4 * 3; /* if everything is copied, copies need as much */
  ck_assert_uint_gt(count * world_element_bytes(), least);
  ck_assert_uint_eq(length_of(list), count);
  ck_assert_uint_le(world_statistics().peak_heap_bytes, limit());
  world_verify();
  spgc_handle_set(list, spgc_ref_null());
  uint64_t again = world_fill(list);
  ck_assert_int_eq(report.calls, 2);
  ck_assert_uint_ge(again * world_element_bytes() + 1024 * world_pair.size,
                    count * world_element_bytes());
  world_close();
}
END_TEST

START_TEST(garbage_never_exhausts_memory) {
  world_open("limit=4m");
  spgc_set_out_of_memory_hook(count_calls, &report);
  uint64_t length = world_amount(20000, 2000, 100),
           garbage = (world_amount(64, 64, 16) << 20) / world_element_bytes();
  struct spgc_handle kept = world_new_list(length);
  for (uint64_t i = 0; i < garbage; i++)
    if (spgc_ref_is_null(world_new_element()))
      ck_abort_msg("no memory at allocation %lu", (unsigned long)i);
  world_check_list(kept, length);
  ck_assert_int_eq(report.calls, 0);
  ck_assert_uint_le(world_statistics().peak_heap_bytes, 4 << 20);
  world_close();
}
END_TEST

START_TEST(a_large_object_that_cannot_fit_is_refused) {
  world_open("limit=8m");
  spgc_set_out_of_memory_hook(count_calls, &report);
  ck_assert(spgc_ref_is_null(spgc_allocate_array(&world_bytes, 16 << 20)));
  ck_assert_int_eq(report.calls, 1);
  ck_assert_uint_eq(report.requested, (16 << 20) + 16);
  ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, 4 << 20)));
  ck_assert_int_eq(report.calls, 1);
  world_close();
}
END_TEST

START_TEST(lengths_that_overflow_are_refused) {
  world_open("");
  spgc_set_out_of_memory_hook(count_calls, &report);
  static const uint64_t lengths[] = {UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 8 + 1,
                                     UINT64_MAX / 8 - 2, UINT64_C(1) << 61};
  enum { COUNT = sizeof lengths / sizeof lengths[0] };
  for (int i = 0; i < COUNT; i++)
    ck_assert(spgc_ref_is_null(spgc_allocate_array(&world_references, lengths[i])));
  ck_assert(spgc_ref_is_null(spgc_allocate_array(&world_bytes, UINT64_MAX - 16)));
  ck_assert(spgc_ref_is_null(spgc_allocate_array(&world_bytes, UINT64_MAX)));
  ck_assert_int_eq(report.calls, COUNT + 2);
  world_close();
}
END_TEST

static void use_the_reserve(void *context, size_t requested) {
  report.calls++;
  for (;;) {
    struct spgc_ref element = world_new_element();
    if (spgc_ref_is_null(element))
      return;
    spgc_handle_make(element);
    report.reserve_bytes += world_element_bytes();
  }
}

START_TEST(the_hook_has_a_reserve_and_is_not_called_within_itself) {
  open_small(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(use_the_reserve, NULL);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  struct spgc_scope scope = spgc_scope_open();
  uint64_t count = world_fill(list);
  ck_assert_int_eq(report.calls, 1);
  ck_assert_uint_ge(report.reserve_bytes, 65536);
  ck_assert_uint_le(world_statistics().peak_heap_bytes, limit());
  ck_assert_uint_eq(length_of(list), count);
  spgc_scope_close(scope);
  world_close();
}
END_TEST

START_TEST(the_reserve_is_there_again_next_time) {
  open_small(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(use_the_reserve, NULL);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  for (int round = 1; round <= 3; round++) {
    struct spgc_scope scope = spgc_scope_open();
    report.reserve_bytes = 0;
    world_fill(list);
    ck_assert_int_eq(report.calls, round);
    ck_assert_uint_ge(report.reserve_bytes, 65536);
    spgc_scope_close(scope);
    spgc_handle_set(list, spgc_ref_null());
  }
  world_close();
}
END_TEST

static void collect_again_and_again(void *context, size_t requested) {
  enum { BYTES = 1000 };
  report.calls++;
  while (report.reserve_bytes < 65536) {
    struct spgc_ref bytes = spgc_allocate_array(&world_bytes, BYTES);
    if (spgc_ref_is_null(bytes))
      ck_abort_msg("nothing is left of the reserve after %" PRIu64 " bytes", report.reserve_bytes);
    spgc_handle_make(bytes);
    report.reserve_bytes += BYTES;
    spgc_collect(SPGC_COLLECTION_MINOR);
  }
}

START_TEST(collections_while_the_hook_runs_take_nothing_of_its_reserve) {
  open_small(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(collect_again_and_again, NULL);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  uint64_t count = world_fill(list);
  ck_assert_int_eq(report.calls, 1);
  ck_assert_uint_eq(length_of(list), count);
  world_close();
}
END_TEST

enum { PROMISED = 65536 };

/* Each collection may pack the objects differently. */
static void collect_for_each_object(void *context, size_t requested) {
  enum { BYTES = 1000 };
  report.calls++;
  for (unsigned bytes = 0; bytes + BYTES + 16 <= PROMISED; bytes += BYTES + 16) {
    if (spgc_ref_is_null(spgc_allocate_array(&world_bytes, BYTES)))
      ck_abort_msg("nothing is left of the reserve after %u bytes", bytes);
    spgc_collect(SPGC_COLLECTION_MINOR);
  }
}

/* Objects of many sizes leave most of a block's rest unused. Pins one in `one_in`, or none if 0. */
static void fill_with_pins(struct spgc_handle list, struct spgc_random *random, uint64_t one_in) {
  for (uint64_t count = 0;; count++) {
    uint64_t length = 100 + spgc_random_next(random) % 900;
    struct spgc_ref array = spgc_allocate_array(&world_references, length);
    if (spgc_ref_is_null(array))
      return;
    spgc_store(spgc_slot_at((struct spgc_ref *)spgc_ref_memory(array) + 2), spgc_handle_get(list));
    spgc_handle_set(list, array);
    if (one_in != 0 && count % one_in == 0)
      ck_assert_int_eq(spgc_pin(array, NULL), SPGC_OK);
  }
}

START_TEST(the_reserve_is_there_however_objects_are_packed) {
  enum { SEEDS = 12 };
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    char options[60];
    snprintf(options, sizeof options, "limit=%" PRIu64 ",%sseed=%u", limit(),
             seed % 2 == 0 ? "move=always," : "", seed);
    world_open_at(__builtin_frame_address(0), options);
    spgc_set_out_of_memory_hook(collect_for_each_object, NULL);
    report.calls = 0;
    struct spgc_random random = {seed};
    struct spgc_handle list = spgc_handle_make(spgc_ref_null());
    fill_with_pins(list, &random, seed % 3 == 0 ? 0 : 7);
    ck_assert_int_eq(report.calls, 1);
    ck_assert_uint_le(world_statistics().peak_heap_bytes, limit());
    ck_assert_uint_gt(world_statistics().moved_objects, 0);
    world_verify();
    world_close();
  }
}
END_TEST

static void allocate_one(void *context, size_t requested) {
  report.calls++;
  report.reserve_bytes += !spgc_ref_is_null(spgc_allocate_array(&world_bytes, 1000));
}

/* The hook begins a TLAB of the reserve. */
START_TEST(the_program_gets_nothing_of_the_reserve_when_the_hook_returns) {
  enum { CALLS = 12 };
  for (int moves = 0; moves <= 1; moves++) {
    char options[60];
    snprintf(options, sizeof options, "limit=%" PRIu64 ",move=%s", limit(),
             moves ? "always" : "default");
    world_open_at(__builtin_frame_address(0), options);
    spgc_set_out_of_memory_hook(allocate_one, NULL);
    report.calls = 0;
    report.reserve_bytes = 0;
    struct spgc_handle list = spgc_handle_make(spgc_ref_null());
    while (report.calls < CALLS)
      fill_with_pins(list, &(struct spgc_random){1}, 0);
    ck_assert_uint_eq(report.reserve_bytes, CALLS);
    world_close();
  }
}
END_TEST

static void escape_from_hook(void *context, size_t requested) {
  report.calls++;
  ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, 60000)));
  longjmp(report.escape, 1);
}

START_TEST(the_hook_may_leave_by_longjmp_again_and_again) {
  open_small(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(escape_from_hook, NULL);
  struct spgc_scope scope = spgc_scope_open();
  for (volatile int round = 1; round <= 5; round++) {
    if (setjmp(report.escape) == 0) {
      world_fill(spgc_handle_make(spgc_ref_null()));
      ck_abort_msg("the hook returned");
    }
    ck_assert_int_eq(report.calls, round);
    spgc_scope_close(scope);
    uint64_t length = world_amount(1000, 1000, 100);
    world_check_list(world_new_list(length), length);
    world_verify();
  }
  world_close();
}
END_TEST

static __attribute__((noinline)) void fill_from_deep(struct spgc_handle list, int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  if (depth > 0)
    fill_from_deep(list, depth - 1);
  else
    world_fill(list);
  ck_assert_int_eq(frame[0], (char)depth);
}

START_TEST(a_hook_that_left_is_called_again_from_deeper_frames_of_a_heap_still_full) {
  open_small(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(escape_from_hook, NULL);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  struct spgc_scope scope = spgc_scope_open();
  for (volatile int round = 1; round <= 3; round++) {
    if (setjmp(report.escape) == 0) {
      fill_from_deep(list, 4 * round);
      ck_abort_msg("the hook was not called in round %d", round);
    }
    ck_assert_int_eq(report.calls, round);
    spgc_scope_close(scope);
  }
  world_close();
}
END_TEST

START_TEST(a_thread_may_be_detached_after_a_hook_left) {
  open_small(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(escape_from_hook, NULL);
  for (volatile int round = 1; round <= 2; round++) {
    if (setjmp(report.escape) == 0) {
      world_fill(spgc_handle_make(spgc_ref_null()));
      ck_abort_msg("the hook was not called in round %d", round);
    }
    ck_assert_int_eq(report.calls, round);
    spgc_thread_detach();
    struct spgc_error error;
    ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_OK);
  }
  world_close();
}
END_TEST

static int status_of_generated_allocation(void) {
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    dup2(STDOUT_FILENO, STDERR_FILENO);
    spgc_allocate_slow(&world_bytes, UINT64_MAX);
    _exit(0);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  return status;
}

START_TEST(generated_code_gets_an_object_or_the_process_ends) {
  world_open("limit=8m");
  struct spgc_ref object = spgc_allocate_slow(&world_references, 3);
  ck_assert(spgc_is_heap_reference(object));
  ck_assert_uint_eq(((const uint64_t *)spgc_ref_memory(object))[1], 3);
  int status = status_of_generated_allocation();
  ck_assert(WIFEXITED(status));
  ck_assert_int_eq(WEXITSTATUS(status), EXIT_FAILURE);
  world_close();
}
END_TEST

enum { MOST_THREADS = 300, ROUNDS = 3 };

static struct worker {
  pthread_t thread;
  sem_t go, done;
  bool is_attached, ends;
  struct spgc_ref found;
} workers[MOST_THREADS];

static void *await(void *semaphore) {
  while (sem_wait(semaphore) != 0)
    ;
  return NULL;
}

static void *allocate_on_request(void *argument) {
  struct worker *worker = argument;
  worker->is_attached = spgc_thread_attach(__builtin_frame_address(0), NULL) == SPGC_OK;
  sem_post(&worker->done);
  while (worker->is_attached) {
    spgc_call_blocking(await, &worker->go);
    if (worker->ends)
      break;
    worker->found = spgc_allocate(&world_pair);
    sem_post(&worker->done);
  }
  spgc_thread_detach();
  return NULL;
}

static void request(struct worker *worker) {
  sem_post(&worker->go);
  await(&worker->done);
}

static int start_workers(void) {
  int count = 0;
  for (bool attached = true; attached && count < MOST_THREADS; count += attached) {
    struct worker *worker = &workers[count];
    *worker = (struct worker){0};
    sem_init(&worker->go, 0, 0);
    sem_init(&worker->done, 0, 0);
    ck_assert_int_eq(pthread_create(&worker->thread, NULL, allocate_on_request, worker), 0);
    await(&worker->done);
    attached = worker->is_attached;
    if (!attached)
      pthread_join(worker->thread, NULL);
  }
  return count;
}

static void end_workers(int count) {
  for (int i = 0; i < count; i++) {
    workers[i].ends = true;
    sem_post(&workers[i].go);
    pthread_join(workers[i].thread, NULL);
  }
}

START_TEST(every_thread_that_is_attached_gets_objects) {
  enum { FIRST_KIB = 2048, LAST_KIB = 9000, STEP_KIB = 416 };
  for (int kib = FIRST_KIB; kib <= LAST_KIB; kib += STEP_KIB) {
    char options[40];
    snprintf(options, sizeof options, "limit=%dk", kib);
    world_open(options);
    spgc_thread_detach();
    int count = start_workers();
    ck_assert_int_gt(count, 0);
    ck_assert_int_lt(count, MOST_THREADS);
    for (int i = 0; i < ROUNDS * count; i++) {
      request(&workers[i % count]);
      ck_assert_msg(!spgc_ref_is_null(workers[i % count].found), "limit=%dk: thread %d of %d", kib,
                    i % count, count);
    }
    end_workers(count);
    spgc_stop();
  }
}
END_TEST

static struct {
  struct spgc_handle list;
  uint64_t futile_collections; /* of the last report */
  int calls;
} overhead;

static void hear_exhaustion(void *context, const struct spgc_out_of_memory_event *event) {
  overhead.futile_collections = event->futile_collections;
}

static struct spgc_listener exhaustion_listener = {.size = sizeof exhaustion_listener,
                                                   .out_of_memory = hear_exhaustion};

/* Until memory counts as exhausted by overhead, the heap stays almost full. */
static void drop_elements(void *context, size_t requested) {
  enum { BYTES = 32768 };
  overhead.calls++;
  struct spgc_ref at = spgc_handle_get(overhead.list);
  for (uint64_t i = 0; i < BYTES / world_element_bytes() && !spgc_ref_is_null(at); i++)
    at = spgc_ref_from_word(((const uint64_t *)spgc_ref_memory(at))[2]);
  spgc_handle_set(overhead.list, overhead.futile_collections == 0 ? at : spgc_ref_null());
}

static void keep_some(struct spgc_ref object, uint64_t number) {
  if (number % 16 != 0 || spgc_ref_is_null(object))
    return;
  spgc_store(spgc_slot_at((struct spgc_ref *)spgc_ref_memory(object) + 2),
             spgc_handle_get(overhead.list));
  spgc_handle_set(overhead.list, object);
}

/* Any time is too much, so nothing depends on the clock. */
static void open_with_overhead(void *base) {
  char options[60];
  snprintf(options, sizeof options, "overhead=1,limit=%" PRIu64, limit());
  world_open_fixed_at(base, options);
  overhead.list = spgc_handle_make(spgc_ref_null());
  world_fill(overhead.list);
  overhead.calls = 0;
  overhead.futile_collections = 0;
}

START_TEST(a_program_that_cannot_get_on_is_told_and_goes_on_when_its_hook_has_freed_memory) {
  ck_assert_int_eq(spgc_listener_add(&exhaustion_listener, NULL), SPGC_OK);
  open_with_overhead(__builtin_frame_address(0));
  spgc_set_out_of_memory_hook(drop_elements, NULL);
  for (uint64_t i = 0; overhead.futile_collections == 0; i++)
    keep_some(world_new_element(), i);
  ck_assert_uint_ge(overhead.futile_collections, 5);
  ck_assert(spgc_ref_is_null(spgc_handle_get(overhead.list)));
  int calls = overhead.calls;
  for (uint64_t i = 0; i < 2 * limit() / world_element_bytes(); i++)
    if (spgc_ref_is_null(world_new_element()))
      ck_abort_msg("no memory at allocation %" PRIu64, i);
  ck_assert_int_eq(overhead.calls, calls);
  world_close();
  ck_assert_int_eq(spgc_listener_remove(&exhaustion_listener, NULL), SPGC_OK);
}
END_TEST

/* Ends the process only when the report is about overhead. */
static void drop_elements_and_leave(void *context, size_t requested) {
  drop_elements(context, requested);
  if (overhead.futile_collections == 0)
    longjmp(report.escape, 1);
}

static _Noreturn void allocate_until_told(void) {
  spgc_set_out_of_memory_hook(drop_elements_and_leave, NULL);
  for (;;) {
    struct spgc_scope scope = spgc_scope_open();
    if (setjmp(report.escape) == 0)
      for (uint64_t i = 0;; i++)
        keep_some(spgc_allocate_slow(&world_pair, 0), i);
    spgc_scope_close(scope);
  }
}

START_TEST(generated_code_that_cannot_get_on_is_ended_with_the_figures) {
  char text[400] = "";
  int ends[2], status;
  ck_assert_int_eq(pipe(ends), 0);
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    ck_assert_int_eq(spgc_listener_add(&exhaustion_listener, NULL), SPGC_OK);
    open_with_overhead(__builtin_frame_address(0));
    dup2(ends[1], STDERR_FILENO);
    allocate_until_told();
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert(WIFEXITED(status));
  ck_assert_int_eq(WEXITSTATUS(status), EXIT_FAILURE);
  ck_assert_int_gt(read(ends[0], text, sizeof text - 1), 0);
  ck_assert_msg(strstr(text, "is refused: the last 5 full collections took ") != NULL, "%s", text);
  ck_assert_msg(strstr(text, "bytes (option overhead=1)") != NULL, "%s", text);
  close(ends[0]);
  close(ends[1]);
}
END_TEST

CHECK_MAIN_WITHIN(60, "heap-out-of-memory", exhaustion_returns_null_and_loses_nothing,
                  garbage_never_exhausts_memory, a_large_object_that_cannot_fit_is_refused,
                  lengths_that_overflow_are_refused,
                  the_hook_has_a_reserve_and_is_not_called_within_itself,
                  the_reserve_is_there_again_next_time,
                  collections_while_the_hook_runs_take_nothing_of_its_reserve,
                  the_reserve_is_there_however_objects_are_packed,
                  the_program_gets_nothing_of_the_reserve_when_the_hook_returns,
                  the_hook_may_leave_by_longjmp_again_and_again,
                  a_hook_that_left_is_called_again_from_deeper_frames_of_a_heap_still_full,
                  a_thread_may_be_detached_after_a_hook_left,
                  generated_code_gets_an_object_or_the_process_ends,
                  every_thread_that_is_attached_gets_objects,
                  a_program_that_cannot_get_on_is_told_and_goes_on_when_its_hook_has_freed_memory,
                  generated_code_that_cannot_get_on_is_ended_with_the_figures)
