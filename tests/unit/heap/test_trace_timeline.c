#include "observe/timeline/trace_timeline.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "random.h"
#include "trace_reader.h"

static struct spgc_trace_file file;
static struct spgc_trace_timeline timeline;
static char path[32];

static void begin(void) {
  strcpy(path, "/tmp/spgc-trace-XXXXXX");
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

/* Times are microseconds. */
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

/* ---- Random runs ---- */

enum { MUTATORS = 3 };

struct run {
  struct random random;
  unsigned lost_percent; /* of events */
  uint64_t now;
  uint64_t collections, parts, blockings, stops;
};

static uint64_t pass(struct run *run) {
  return run->now += 1 + random_below(&run->random, 50);
}

static bool is_told(struct run *run) {
  return random_below(&run->random, 100) >= run->lost_percent;
}

#define TELL_UNLESS_LOST(run, name, ...)                                                           \
  do {                                                                                             \
    if (is_told(run))                                                                              \
      TELL(name, __VA_ARGS__);                                                                     \
  } while (0)

static void run_blocking(struct run *run, uint64_t thread) {
  uint64_t begin_ns = pass(run) * US, waits_ns = pass(run) * US, end_ns = pass(run) * US;
  if (random_below(&run->random, 2) == 0)
    TELL_UNLESS_LOST(run, thread_waited, .thread = thread, .begin_ns = waits_ns, .end_ns = end_ns);
  TELL_UNLESS_LOST(run, blocking, .thread = thread, .begin_ns = begin_ns, .end_ns = end_ns);
  run->blockings++;
}

static void run_collection(struct run *run, uint64_t thread, uint64_t asked_ns) {
  uint64_t number = ++run->collections, begin_ns = pass(run) * US, from_ns = begin_ns;
  TELL_UNLESS_LOST(run, collection_begin, .number = number, .thread = thread, .asked_ns = asked_ns);
  for (uint64_t parts = 1 + random_below(&run->random, 6); parts != 0; parts--) {
    uint64_t to_ns = pass(run) * US;
    TELL_UNLESS_LOST(run, pause_part, .number = number,
                     .part =
                         (enum spgc_pause_part)(SPGC_PAUSE_PREPARE + random_below(&run->random, 5)),
                     .begin_ns = from_ns, .end_ns = to_ns);
    from_ns = to_ns;
    run->parts++;
  }
  TELL_UNLESS_LOST(run, collection_end, .number = number, .thread = thread, .begin_ns = begin_ns,
                   .end_ns = from_ns, .stop_ns = US);
}

static void run_stop(struct run *run, uint64_t thread) {
  uint64_t asked_ns = pass(run) * US, stopped_ns = pass(run) * US;
  TELL_UNLESS_LOST(run, world_stopped, .asked_ns = asked_ns, .stopped_ns = stopped_ns,
                   .thread = thread);
  for (uint64_t left = random_below(&run->random, 3); left != 0; left--)
    run_collection(run, thread, asked_ns);
  TELL_UNLESS_LOST(run, world_resumed, .stopped_ns = stopped_ns, .resumed_ns = pass(run) * US,
                   .thread = thread);
  run->stops++;
}

static void run_step(struct run *run, uint64_t thread) {
  uint64_t begin_ns = pass(run) * US;
  TELL_UNLESS_LOST(run, cycle_step, .phase = SPGC_CYCLE_MARKING, .thread = thread,
                   .begin_ns = begin_ns, .end_ns = pass(run) * US);
}

/* The reader fails if slices overlap that do not nest. */
static struct trace trace_of(struct run *run) {
  begin();
  for (int step = 0; step < 150; step++) {
    uint64_t thread = 1 + random_below(&run->random, MUTATORS);
    switch (random_below(&run->random, 4)) {
    case 0: run_blocking(run, thread); break;
    case 1: run_stop(run, thread); break;
    case 2: run_step(run, thread); break;
    default: run_step(run, 0);
    }
  }
  return end();
}

enum { RUNS = 8 };

START_TEST(random_runs_are_drawn_whole) {
  struct random random = random_start("random runs");
  for (int i = 0; i < RUNS; i++) {
    struct run run = {.random = {random_next(&random)}};
    struct trace trace = trace_of(&run);
    ck_assert_uint_eq(trace_count_collections(&trace), run.collections);
    ck_assert_uint_eq(trace_count(&trace, "blocking"), run.blockings);
    size_t parts = 0;
    for (int part = SPGC_PAUSE_PREPARE; part < SPGC_PAUSE_PREPARE + 5; part++)
      parts += trace_count(&trace, spgc_pause_part_name((enum spgc_pause_part)part));
    ck_assert_uint_eq(parts, run.parts);
    trace_free(&trace);
  }
}
END_TEST

START_TEST(random_runs_with_lost_events_leave_slices_that_nest) {
  struct random random = random_start("random runs with lost events");
  for (int i = 0; i < RUNS; i++) {
    struct run run = {.random = {random_next(&random)}, .lost_percent = 1 + 8 * (unsigned)i};
    struct trace trace = trace_of(&run);
    ck_assert_uint_le(trace_count(&trace, "blocking"), run.blockings);
    ck_assert_uint_gt(trace.count, 0);
    trace_free(&trace);
  }
}
END_TEST

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

/* Each thread's events come in order, or count as lost. */
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
           random_runs_are_drawn_whole, random_runs_with_lost_events_leave_slices_that_nest,
           a_full_ring_counts_what_it_loses_and_keeps_places_for_pauses,
           threads_add_while_another_takes)
