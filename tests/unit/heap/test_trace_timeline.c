/* Made-up events become slices that nest, whatever is missing among them; and the buffer that
 * carries them loses none unnoticed. */
#include "gc/observe/trace_timeline.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "trace_reader.h"

static struct spgc_trace_file file;
static struct spgc_trace_timeline timeline;
static char path[] = "/tmp/spgc-trace-XXXXXX";

static void begin(void) {
  int created = mkstemp(path);
  ck_assert_int_ge(created, 0);
  close(created);
  ck_assert(spgc_trace_file_begin(&file, path, 0));
  spgc_trace_timeline_begin(&timeline, &file);
}

static struct trace end(void) {
  spgc_trace_timeline_end(&timeline);
  ck_assert(spgc_trace_file_end(&file));
  struct trace trace = trace_read(path);
  ck_assert_int_eq(unlink(path), 0);
  return trace;
}

/* Tells an event. Times are microseconds. */
#define TELL(name, ...)                                                                            \
  spgc_trace_timeline_draw(&timeline, &(struct spgc_trace_record){.kind = SPGC_TRACE_##name,       \
                                                                  .event.name = {__VA_ARGS__}})
static const uint64_t US = 1000;

static void tell_part(uint64_t number, enum spgc_pause_part part, uint64_t from, uint64_t to) {
  TELL(pause_part, .number = number, .part = part, .begin_ns = from * US, .end_ns = to * US);
}

static void tell_end(uint64_t number, uint64_t from, uint64_t to) {
  TELL(collection_end, .number = number, .thread = 1, .begin_ns = from * US, .end_ns = to * US,
       .stop_ns = 5 * US);
}

START_TEST(a_wait_at_the_end_of_a_blocking_call_is_inside_it) {
  begin();
  TELL(thread_waited, .thread = 1, .begin_ns = 10 * US, .end_ns = 20 * US);
  TELL(blocking, .thread = 1, .begin_ns = 10 * US, .end_ns = 20 * US);
  TELL(thread_stopped, .thread = 1, .asked_ns = 25 * US, .arrived_ns = 28 * US);
  TELL(thread_waited, .thread = 1, .begin_ns = 30 * US, .end_ns = 40 * US);
  TELL(blocking, .thread = 1, .begin_ns = 40 * US, .end_ns = 50 * US);
  TELL(thread_detached, .thread = 1);
  struct trace trace = end();
  ck_assert_uint_eq(trace.count, 4);
  ck_assert_str_eq(trace.slices[0].name, "blocking");
  ck_assert_str_eq(trace.slices[1].name, "wait");
  ck_assert_ptr_eq(trace.slices[1].parent, &trace.slices[0]);
  ck_assert_ptr_null(trace.slices[2].parent);
  ck_assert_int_eq(
      json_object_get_int(json_object_object_get(trace.slices[2].args, "to_safepoint_ns")), 3 * US);
  ck_assert_ptr_null(trace.slices[3].parent);
  trace_free(&trace);
}
END_TEST

START_TEST(two_collections_in_one_stop_share_no_stop) {
  begin();
  TELL(world_stopped, .asked_ns = 100 * US, .stopped_ns = 105 * US, .thread = 1);
  TELL(collection_begin, .number = 1, .thread = 1, .asked_ns = 100 * US);
  tell_part(1, SPGC_PAUSE_ROOTS, 106, 110);
  tell_end(1, 106, 110);
  TELL(collection_begin, .number = 2, .thread = 1, .asked_ns = 100 * US);
  tell_part(2, SPGC_PAUSE_ROOTS, 111, 120);
  tell_end(2, 111, 120);
  TELL(world_resumed, .stopped_ns = 105 * US, .resumed_ns = 121 * US, .thread = 1);
  struct trace trace = end();
  ck_assert_uint_eq(trace_count_collections(&trace), 2);
  ck_assert_uint_eq(trace_count(&trace, "stop"), 1);
  ck_assert_uint_eq(trace_count(&trace, "stopped world"), 0);
  trace_free(&trace);
}
END_TEST

START_TEST(what_was_lost_leaves_slices_that_nest) {
  begin();
  TELL(world_stopped, .asked_ns = 100 * US, .stopped_ns = 105 * US, .thread = 1);
  TELL(collection_begin, .number = 1, .thread = 1, .asked_ns = 100 * US);
  tell_part(1, SPGC_PAUSE_ROOTS, 106, 110); /* its end is lost, and the next one's begin */
  tell_part(2, SPGC_PAUSE_ROOTS, 206, 210);
  tell_end(2, 206, 210);
  tell_end(3, 306, 310);
  TELL(world_resumed, .stopped_ns = 405 * US, .resumed_ns = 410 * US, .thread = 1);
  spgc_trace_timeline_note_lost(&timeline, 7);
  spgc_trace_timeline_note_lost(&timeline, 7);
  struct trace trace = end();
  ck_assert_uint_eq(trace_count(&trace, "minor"), 2);
  ck_assert_uint_eq(trace_count(&trace, "roots"), 1);
  ck_assert_uint_eq(trace_count(&trace, "stop") + trace_count(&trace, "stopped world"), 0);
  ck_assert_uint_eq(trace_count_events(&trace, "i", "events lost"), 1);
  trace_free(&trace);
}
END_TEST

START_TEST(a_stop_without_collection_is_a_slice_of_its_thread) {
  begin();
  TELL(world_stopped, .asked_ns = 100 * US, .stopped_ns = 105 * US, .thread = 1);
  TELL(world_stopped, .asked_ns = 200 * US, .stopped_ns = 205 * US, .thread = 2);
  TELL(world_resumed, .stopped_ns = 105 * US, .resumed_ns = 110 * US, .thread = 1);
  TELL(world_resumed, .stopped_ns = 205 * US, .resumed_ns = 210 * US, .thread = 2);
  TELL(world_stopped, .asked_ns = 200 * US, .stopped_ns = 305 * US, .thread = 0);
  TELL(world_resumed, .stopped_ns = 305 * US, .resumed_ns = 310 * US, .thread = 0);
  struct trace trace = end();
  ck_assert_uint_eq(trace_count(&trace, "stopped world"), 2);
  ck_assert_uint_eq(trace_count(&trace, "stop"), 2);
  ck_assert_uint_eq(trace_count_events(&trace, "i", "stopped world"), 1);
  trace_free(&trace);
}
END_TEST

static void tell_step(uint64_t thread, uint64_t from) {
  TELL(cycle_step, .phase = SPGC_CYCLE_SWEEPING, .thread = thread, .begin_ns = from * US,
       .end_ns = (from + 2) * US);
}

START_TEST(steps_that_follow_closely_are_one_slice) {
  enum { STEPS = 100 };
  begin();
  for (unsigned i = 0; i < STEPS; i++) {
    tell_step(0, 10 + 3 * i);
    tell_step(1, 10 + 3 * i);
  }
  tell_step(0, 1000);
  TELL(collection_begin, .number = 1, .thread = 1, .asked_ns = 1003 * US);
  tell_step(0, 1004);
  struct trace trace = end();
  ck_assert_uint_eq(trace_count_on(&trace, SPGC_TRACE_TRACK_STEPS, "sweeping"), 3);
  ck_assert_uint_eq(trace_count_on(&trace, SPGC_TRACE_TRACK_MUTATORS + 1, "sweeping"), 1);
  const struct trace_slice *first = &trace.slices[0];
  ck_assert_int_eq(json_object_get_int(json_object_object_get(first->args, "steps")), STEPS);
  ck_assert_int_eq(json_object_get_int(json_object_object_get(first->args, "busy_ns")),
                   US * 2 * STEPS);
  ck_assert_double_eq(first->end - first->ts, 3 * STEPS - 1);
  trace_free(&trace);
}
END_TEST

START_TEST(many_threads_and_parts_are_kept_apart) {
  enum { THREADS = 300, PARTS = 500 };
  begin();
  for (uint64_t i = THREADS; i != 0; i--)
    TELL(thread_attached, .thread = i, .system_thread = (int64_t)i);
  TELL(world_stopped, .asked_ns = 1 * US, .stopped_ns = 2 * US, .thread = 7);
  TELL(collection_begin, .number = 1, .thread = 7, .asked_ns = 1 * US);
  for (uint64_t i = 0; i < PARTS; i++)
    tell_part(1, SPGC_PAUSE_COPY, 2 + i, 3 + i);
  TELL(collection_end, .number = 1, .thread = 7, .begin_ns = 2 * US, .end_ns = (2 + PARTS) * US);
  for (uint64_t i = 1; i <= THREADS; i += 2)
    TELL(thread_detached, .thread = i);
  for (uint64_t i = 2; i <= THREADS; i += 2)
    TELL(blocking, .thread = i, .begin_ns = 5000 * US, .end_ns = 5001 * US);
  struct trace trace = end();
  ck_assert_uint_eq(trace_count_collections(&trace), 1);
  ck_assert_uint_eq(trace_count(&trace, "copy"), PARTS);
  ck_assert_uint_eq(trace_count(&trace, "blocking"), THREADS / 2);
  ck_assert_int_eq(trace_track(&trace, "mutator 150 (thread 150)"),
                   SPGC_TRACE_TRACK_MUTATORS + 150);
  trace_free(&trace);
}
END_TEST

/* ---- The buffer ---- */

static struct spgc_trace_buffer buffer;

static void add(enum spgc_trace_kind kind, uint64_t thread) {
  const struct spgc_blocking_event event = {.thread = thread};
  spgc_trace_buffer_add(&buffer, kind, &event, sizeof event);
}

START_TEST(a_full_ring_counts_what_it_loses_and_keeps_places_for_pauses) {
  enum { FLOOD = SPGC_TRACE_BUFFER_EVENTS / 4 * 3 + 1 };
  struct spgc_trace_record record;
  ck_assert(spgc_trace_buffer_begin(&buffer));
  for (uint64_t round = 0; round < 3; round++) {
    for (uint64_t i = 0; i < UINT64_C(2) * SPGC_TRACE_BUFFER_EVENTS; i++)
      add(SPGC_TRACE_blocking, i);
    for (uint64_t i = FLOOD; i < SPGC_TRACE_BUFFER_EVENTS + 5; i++)
      add(SPGC_TRACE_thread_waited, i);
    ck_assert_uint_eq(atomic_load(&buffer.lost),
                      (round + 1) * (2 * SPGC_TRACE_BUFFER_EVENTS - FLOOD + 5));
    for (uint64_t i = 0; i < SPGC_TRACE_BUFFER_EVENTS; i++) {
      ck_assert(spgc_trace_buffer_take(&buffer, &record));
      ck_assert_int_eq(record.kind, i < FLOOD ? SPGC_TRACE_blocking : SPGC_TRACE_thread_waited);
      ck_assert_uint_eq(record.event.blocking.thread, i);
    }
    ck_assert(!spgc_trace_buffer_take(&buffer, &record));
  }
  spgc_trace_buffer_end(&buffer);
}
END_TEST

enum { ADDERS = 3, EACH = 50000 };

static void *add_many(void *thread) {
  for (uint64_t i = 0; i < EACH; i++)
    add(SPGC_TRACE_thread_waited, (uint64_t)(uintptr_t)thread * EACH + i);
  return NULL;
}

/* The events of a thread come in their order, and each is taken or counted as lost. */
START_TEST(threads_add_while_another_takes) {
  pthread_t threads[ADDERS];
  uint64_t next[ADDERS] = {0}, taken = 0;
  struct spgc_trace_record record;
  ck_assert(spgc_trace_buffer_begin(&buffer));
  for (uintptr_t i = 0; i < ADDERS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, add_many, (void *)i), 0);
  while (taken + atomic_load(&buffer.lost) < UINT64_C(1) * ADDERS * EACH) {
    if (!spgc_trace_buffer_take(&buffer, &record)) {
      sched_yield();
      continue;
    }
    uint64_t value = record.event.blocking.thread;
    ck_assert_uint_ge(value % EACH, next[value / EACH]);
    next[value / EACH] = value % EACH + 1;
    taken++;
  }
  for (unsigned i = 0; i < ADDERS; i++)
    pthread_join(threads[i], NULL);
  ck_assert(!spgc_trace_buffer_take(&buffer, &record));
  spgc_trace_buffer_end(&buffer);
}
END_TEST

CHECK_MAIN("trace_timeline", a_wait_at_the_end_of_a_blocking_call_is_inside_it,
           two_collections_in_one_stop_share_no_stop, what_was_lost_leaves_slices_that_nest,
           a_stop_without_collection_is_a_slice_of_its_thread,
           steps_that_follow_closely_are_one_slice, many_threads_and_parts_are_kept_apart,
           a_full_ring_counts_what_it_loses_and_keeps_places_for_pauses,
           threads_add_while_another_takes)
