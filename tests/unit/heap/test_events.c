#include "spgc/events.h"

#include <stdatomic.h>
#include <string.h>

#include "check_main.h"
#include "gc/events/events.h"
#include "heap_world.h"
#include "polling_thread.h"
#include "spgc/finalizer.h"

/* By any thread. */
static struct heard {
  _Atomic uint64_t counts[32];
  uint64_t begun, ended; /* numbers of the last collections */
  uint64_t parts_ns;     /* of the current collection */
  uint64_t moved_bytes, promoted_bytes, queued;
  uint64_t reasons[SPGC_STATISTICS_REASONS];
  enum spgc_cycle_phase phase;
  uint64_t target_bytes;
} heard;

enum event {
#define SPGC_EVENT(name, type, when) HEARD_##name,
  SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
};

static uint64_t count_of(enum event event) {
  return atomic_load(&heard.counts[event]);
}

static void count(enum event event) {
  atomic_fetch_add(&heard.counts[event], 1);
}

static void hear_world_stopped(void *context, const struct spgc_world_stopped_event *event) {
  ck_assert_uint_le(event->asked_ns, event->stopped_ns);
  ck_assert_uint_ge(event->threads, 1);
  count(HEARD_world_stopped);
}

static void hear_thread_stopped(void *context, const struct spgc_thread_stopped_event *event) {
  ck_assert_uint_ge(event->thread, 1);
  ck_assert_uint_ne(event->arrived_ns, 0);
  count(HEARD_thread_stopped);
}

static void hear_world_resumed(void *context, const struct spgc_world_resumed_event *event) {
  ck_assert_uint_le(event->stopped_ns, event->resumed_ns);
  count(HEARD_world_resumed);
}

static void hear_thread_waited(void *context, const struct spgc_thread_waited_event *event) {
  ck_assert_uint_le(event->begin_ns, event->end_ns);
  count(HEARD_thread_waited);
}

static void hear_collection_begin(void *context, const struct spgc_collection_begin_event *event) {
  ck_assert_uint_eq(event->number, heard.ended + 1);
  ck_assert_uint_ge(event->thread, 1);
  heard.begun = event->number;
  heard.parts_ns = 0;
  heard.reasons[event->reason]++;
  count(HEARD_collection_begin);
}

static void hear_pause_part(void *context, const struct spgc_pause_part_event *event) {
  ck_assert_uint_eq(event->number, heard.begun);
  ck_assert_uint_le(event->begin_ns, event->end_ns);
  ck_assert_str_ne(spgc_pause_part_name(event->part), "unknown");
  heard.parts_ns += event->end_ns - event->begin_ns;
  count(HEARD_pause_part);
}

static void hear_collection_end(void *context, const struct spgc_collection_end_event *event) {
  uint64_t sum = 0;
  for (int part = 0; part < SPGC_PAUSE_PART_PLACES; part++)
    sum += event->part_ns[part];
  ck_assert_uint_eq(sum, event->end_ns - event->begin_ns + event->stop_ns);
  ck_assert_uint_eq(heard.parts_ns, event->end_ns - event->begin_ns);
  ck_assert_uint_eq(event->number, heard.begun);
  heard.ended = event->number;
  heard.moved_bytes += event->moved_bytes;
  heard.promoted_bytes += event->promoted_bytes;
  count(HEARD_collection_end);
}

static void hear_nursery_resized(void *context, const struct spgc_resized_event *event) {
  ck_assert_uint_ne(event->from_bytes, event->to_bytes);
  count(HEARD_nursery_resized);
}

static void hear_target_resized(void *context, const struct spgc_resized_event *event) {
  ck_assert_uint_ne(event->from_bytes, event->to_bytes);
  ck_assert(heard.target_bytes == 0 || heard.target_bytes == event->from_bytes);
  heard.target_bytes = event->to_bytes;
  count(HEARD_target_resized);
}

static void hear_thread_attached(void *context, const struct spgc_thread_event *event) {
  ck_assert_int_gt(event->system_thread, 0);
  count(HEARD_thread_attached);
}

static void hear_thread_detached(void *context, const struct spgc_thread_event *event) {
  ck_assert_int_gt(event->system_thread, 0);
  count(HEARD_thread_detached);
}

static void hear_blocking(void *context, const struct spgc_blocking_event *event) {
  ck_assert_uint_le(event->begin_ns, event->end_ns);
  count(HEARD_blocking);
}

static void hear_blocks_refused(void *context, const struct spgc_blocks_refused_event *event) {
  ck_assert_uint_gt(event->bytes, 0);
  count(HEARD_blocks_refused);
}

static void hear_finalizers_queued(void *context,
                                   const struct spgc_finalizers_queued_event *event) {
  ck_assert_uint_eq(event->number, heard.begun);
  ck_assert_uint_ge(event->waiting, event->queued);
  heard.queued += event->queued;
  count(HEARD_finalizers_queued);
}

static bool may_follow(enum spgc_cycle_phase before, enum spgc_cycle_phase next) {
  switch (next) {
  case SPGC_CYCLE_IDLE: return true;
  case SPGC_CYCLE_MARKING: return before != SPGC_CYCLE_SWEEPING;
  case SPGC_CYCLE_MARKED: return before == SPGC_CYCLE_MARKING;
  case SPGC_CYCLE_SWEEPING: return before != SPGC_CYCLE_IDLE;
  }
  return false;
}

static void hear_cycle(void *context, const struct spgc_cycle_event *event) {
  ck_assert(may_follow(heard.phase, event->phase));
  heard.phase = event->phase;
  count(HEARD_cycle);
}

static void hear_cycle_step(void *context, const struct spgc_cycle_step_event *event) {
  ck_assert(event->phase <= SPGC_CYCLE_SWEEPING); /* in the others, idle pages are given back */
  ck_assert_uint_le(event->begin_ns, event->end_ns);
  count(HEARD_cycle_step);
}

static void hear_worker(void *context, const struct spgc_worker_event *event) {
  ck_assert_uint_ge(event->worker, 1);
  count(HEARD_worker);
}

static void hear_out_of_memory(void *context, const struct spgc_out_of_memory_event *event) {
  ck_assert_uint_gt(event->requested_bytes, 0);
  count(HEARD_out_of_memory);
}

static struct spgc_listener listener = {.size = sizeof listener,
#define SPGC_EVENT(name, type, when) .name = hear_##name,
                                        SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
};

static void listen(void) {
  memset(&heard, 0, sizeof heard);
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
}

static void stop_listening(void) {
  struct spgc_error error;
  ck_assert_msg(spgc_listener_remove(&listener, &error) == SPGC_OK, "%s", error.message);
}

START_TEST(each_collection_is_told_with_its_parts_and_what_it_did) {
  listen();
  world_open("limit=64m,nursery=256k");
  struct spgc_handle list = world_new_list(world_amount(100000, 20000, 200));
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_eq(count_of(HEARD_collection_begin), statistics.collections);
  ck_assert_uint_eq(count_of(HEARD_collection_end), statistics.collections);
  ck_assert_uint_eq(heard.moved_bytes, statistics.moved_bytes);
  ck_assert_uint_ge(count_of(HEARD_pause_part), 4 * statistics.collections);
  ck_assert_uint_eq(count_of(HEARD_world_stopped), count_of(HEARD_world_resumed));
  ck_assert_uint_ge(heard.reasons[SPGC_REASON_CALL], 2);
  if (world_is_stressed())
    ck_assert_uint_gt(heard.reasons[SPGC_REASON_STRESS], 0);
  else
    ck_assert_uint_gt(heard.reasons[SPGC_REASON_NURSERY], 0);
  world_check_list(list, world_amount(100000, 20000, 200));
  world_close();
  stop_listening();
}
END_TEST

START_TEST(exhausted_memory_is_told_before_the_hook) {
  listen();
  world_open("limit=4m");
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  world_fill(list);
  ck_assert_uint_eq(count_of(HEARD_out_of_memory), 1);
  ck_assert_uint_gt(count_of(HEARD_blocks_refused), 0);
  ck_assert_uint_gt(heard.reasons[SPGC_REASON_LIMIT], 0);
  spgc_handle_set(list, spgc_ref_null());
  world_close();
  stop_listening();
}
END_TEST

START_TEST(queued_finalizers_are_told) {
  enum { COUNT = 50 };
  listen();
  world_open("");
  struct spgc_scope scope = spgc_scope_open();
  for (unsigned i = 0; i < COUNT; i++)
    ck_assert_int_eq(
        spgc_finalizer_register(spgc_handle_get(world_new_leaf(i)), spgc_ref_null(), NULL),
        SPGC_OK);
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(heard.queued, COUNT);
  world_close();
  stop_listening();
}
END_TEST

START_TEST(the_cycle_of_the_old_space_is_told) {
  listen();
  world_open_fixed("limit=16m,nursery=1m,concurrent=off,verify=none");
  world_churn(3);
  ck_assert_uint_ge(count_of(HEARD_cycle), 9); /* three phases each */
  ck_assert_uint_gt(count_of(HEARD_cycle_step), 3);
  ck_assert_uint_gt(heard.promoted_bytes, 0);
  world_close();
  stop_listening();
}
END_TEST

START_TEST(the_target_of_the_old_space_is_told) {
  listen();
  world_open_fixed("limit=256m");
  world_new_list(1000);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(count_of(HEARD_target_resized), 1);
  world_close();
  stop_listening();
}
END_TEST

START_TEST(threads_are_told) {
  struct polling_thread other;
  listen();
  world_open("");
  polling_thread_start(&other);
  while (count_of(HEARD_thread_waited) == 0) /* the other was asked while it ran */
    spgc_collect(SPGC_COLLECTION_MINOR);
  polling_thread_end(&other);
  ck_assert_uint_eq(count_of(HEARD_thread_attached), 2);
  ck_assert_uint_eq(count_of(HEARD_thread_detached), 1);
  ck_assert_uint_ge(count_of(HEARD_blocking), 2);
  ck_assert_uint_ge(count_of(HEARD_thread_stopped), 1);
  world_close();
  ck_assert_uint_eq(count_of(HEARD_thread_detached), 2);
  stop_listening();
}
END_TEST

START_TEST(listeners_are_added_once_and_removed_while_no_heap_is_started) {
  struct spgc_error error;
  struct spgc_listener other = {.size = sizeof other}, wrong = {.size = 5};
  ck_assert_int_eq(spgc_listener_add(&wrong, &error), SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_listener_remove(&other, &error), SPGC_ERROR_STATE);
  listen();
  ck_assert_int_eq(spgc_listener_add(&listener, &error), SPGC_ERROR_STATE);
  ck_assert_int_eq(spgc_listener_add(&other, &error), SPGC_OK);
  world_open("");
  ck_assert_int_eq(spgc_listener_remove(&other, &error), SPGC_ERROR_STATE);
  world_close();
  ck_assert_int_eq(spgc_listener_remove(&other, &error), SPGC_OK);
  stop_listening();
  uint64_t heard_before = count_of(HEARD_collection_end);
  world_open("");
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_close();
  ck_assert_uint_eq(count_of(HEARD_collection_end), heard_before);
}
END_TEST

START_TEST(an_event_that_no_function_hears_is_not_made) {
  static struct spgc_listener deaf = {.size = sizeof deaf},
                              hears_one = {.size = sizeof hears_one,
                                           .collection_begin = hear_collection_begin};
  ck_assert_int_eq(spgc_listener_add(&deaf, NULL), SPGC_OK);
  ck_assert(!spgc_hears_collection_begin());
  ck_assert_int_eq(spgc_listener_add(&hears_one, NULL), SPGC_OK);
  ck_assert(spgc_hears_collection_begin());
  ck_assert(!spgc_hears_collection_end());
  ck_assert(!spgc_hears_blocking());
  listen();
  ck_assert(spgc_hears_blocking());
  stop_listening();
  ck_assert(!spgc_hears_blocking());
  ck_assert(spgc_hears_collection_begin());
  ck_assert_int_eq(spgc_listener_remove(&hears_one, NULL), SPGC_OK);
  ck_assert(!spgc_hears_collection_begin());
  ck_assert_int_eq(spgc_listener_remove(&deaf, NULL), SPGC_OK);
}
END_TEST

static void refuse(void *context, const struct spgc_collection_end_event *event) {
  ck_abort_msg("a function behind the end of its listener is called");
}

START_TEST(a_listener_of_an_earlier_release_is_shorter) {
  memset(&heard, 0, sizeof heard);
  struct spgc_listener earlier = {.size = offsetof(struct spgc_listener, collection_end),
                                  .collection_begin = hear_collection_begin,
                                  .collection_end = refuse};
  ck_assert_int_eq(spgc_listener_add(&earlier, NULL), SPGC_OK);
  world_open_fixed("");
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_close();
  ck_assert_uint_eq(count_of(HEARD_collection_begin), 1);
  ck_assert_int_eq(spgc_listener_remove(&earlier, NULL), SPGC_OK);
}
END_TEST

START_TEST(reasons_and_parts_have_names) {
  static const char *const reasons[SPGC_STATISTICS_REASONS] = {
      [SPGC_REASON_NURSERY] = "nursery", [SPGC_REASON_LARGE] = "large object",
      [SPGC_REASON_MARKING] = "marking", [SPGC_REASON_LIMIT] = "limit",
      [SPGC_REASON_RESERVE] = "reserve", [SPGC_REASON_CALL] = "call",
      [SPGC_REASON_MODULE] = "module",   [SPGC_REASON_STRESS] = "stress"};
  static const char *const parts[SPGC_PAUSE_PART_PLACES] = {
      [SPGC_PAUSE_STOP] = "stop",       [SPGC_PAUSE_HOLD] = "hold",
      [SPGC_PAUSE_PREPARE] = "prepare", [SPGC_PAUSE_PROMOTE] = "promote",
      [SPGC_PAUSE_ROOTS] = "roots",     [SPGC_PAUSE_CARDS] = "cards",
      [SPGC_PAUSE_COPY] = "copy",       [SPGC_PAUSE_WEAK] = "weak",
      [SPGC_PAUSE_FREE] = "free",       [SPGC_PAUSE_MARK] = "mark",
      [SPGC_PAUSE_POLICY] = "policy",   [SPGC_PAUSE_VERIFY] = "verify"};
  for (int i = 0; i < SPGC_STATISTICS_REASONS + 1; i++)
    ck_assert_str_eq(spgc_reason_name((enum spgc_reason)i),
                     i < SPGC_STATISTICS_REASONS && reasons[i] != NULL ? reasons[i] : "unknown");
  for (int i = 0; i < SPGC_PAUSE_PART_PLACES + 1; i++)
    ck_assert_str_eq(spgc_pause_part_name((enum spgc_pause_part)i),
                     i < SPGC_PAUSE_PART_PLACES && parts[i] != NULL ? parts[i] : "unknown");
}
END_TEST

CHECK_MAIN("events", each_collection_is_told_with_its_parts_and_what_it_did,
           exhausted_memory_is_told_before_the_hook, queued_finalizers_are_told,
           the_cycle_of_the_old_space_is_told, the_target_of_the_old_space_is_told,
           threads_are_told, listeners_are_added_once_and_removed_while_no_heap_is_started,
           an_event_that_no_function_hears_is_not_made, a_listener_of_an_earlier_release_is_shorter,
           reasons_and_parts_have_names)
