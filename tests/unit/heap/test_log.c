#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "heap_world.h"
#include "log_lines.h"
#include "spgc/events.h"
#include "spgc/finalizer.h"

static void do_work(void) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = world_new_list(world_amount(30000, 10000, 100));
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_check_list(list, world_amount(30000, 10000, 100));
  spgc_scope_close(scope);
}

static void check_outcomes(const char *path, const struct spgc_statistics *statistics) {
  log_check(path, LOG_COLLECTION("minor", LOG_REASON), statistics->minor_collections);
  log_check(path, LOG_COLLECTION("(partial )?final-mark", LOG_REASON), statistics->final_marks);
  log_check(path, LOG_COLLECTION("partial final-mark", LOG_REASON), statistics->partial_markings);
  log_check(path, LOG_COLLECTION("(in-place )?full", LOG_REASON), statistics->full_collections);
}

static void check_reasons(const char *path, const struct spgc_statistics *statistics) {
  uint64_t sum = 0;
  for (int reason = 0; reason < SPGC_STATISTICS_REASONS; reason++) {
    char expression[64];
    snprintf(expression, sizeof expression, "collection [0-9]+ \\(%s\\) at ",
             spgc_reason_name((enum spgc_reason)reason));
    log_check(path, expression, statistics->reasons[reason]);
    sum += statistics->reasons[reason];
  }
  ck_assert_uint_eq(sum, statistics->collections);
}

START_TEST(each_collection_has_a_line_with_its_outcome_and_reason) {
  log_folder_make();
  world_open(log_settings("gc", "a", "limit=64m,nursery=256k"));
  do_work();
  struct spgc_statistics statistics = world_statistics();
  world_close();
  log_check(log_path("a"), " collection ", statistics.collections);
  log_check(log_path("a"), LOG_ANY_COLLECTION, statistics.collections);
  check_outcomes(log_path("a"), &statistics);
  check_reasons(log_path("a"), &statistics);
  ck_assert_uint_eq(statistics.reasons[SPGC_REASON_CALL], 2);
  log_folder_remove();
}
END_TEST

static uint64_t sum_of(const struct spgc_histogram *histogram) {
  uint64_t sum = 0;
  for (int i = 0; i < SPGC_HISTOGRAM_BUCKETS; i++)
    sum += histogram->buckets[i];
  return sum;
}

START_TEST(the_statistics_agree_with_one_another) {
  world_open("limit=64m,nursery=256k");
  do_work();
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_eq(statistics.pauses.count, statistics.collections);
  ck_assert_uint_eq(sum_of(&statistics.pauses), statistics.collections);
  ck_assert_uint_eq(statistics.pauses.sum_ns, statistics.total_pause_ns);
  ck_assert_uint_eq(statistics.pauses.longest_ns, statistics.longest_pause_ns);
  ck_assert_uint_eq(sum_of(&statistics.stops), statistics.stops.count);
  ck_assert_uint_eq(statistics.stops.longest_ns, statistics.longest_stop_ns);
  ck_assert_uint_ge(statistics.stops.count, 2);
  ck_assert_uint_le(statistics.stops.count, statistics.collections);
  ck_assert_uint_ge(statistics.stopped_ns, statistics.total_pause_ns + statistics.stops.sum_ns);
  ck_assert_uint_le(statistics.stopped_ns, statistics.elapsed_ns);
  ck_assert_uint_eq(statistics.slowest_thread, 0);
  ck_assert_uint_le(statistics.promoted_bytes, statistics.allocated_bytes);
  ck_assert_uint_gt(statistics.promoted_bytes, 0);
  ck_assert(statistics.utilisation_10ms >= 0 && statistics.utilisation_10ms < 1);
  ck_assert(statistics.utilisation_100ms >= 0 && statistics.utilisation_100ms < 1);
  world_close();
  world_open("");
  ck_assert_uint_eq(world_statistics().pauses.count, world_statistics().collections);
  ck_assert_uint_eq(world_statistics().stops.count, world_statistics().collections);
  world_close();
}
END_TEST

static void *attach_and_wait(void *unused) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_thread_detach();
  return unused;
}

START_TEST(other_events_have_lines_too) {
  pthread_t thread;
  log_folder_make();
  world_open(log_settings("all", "a", "limit=4m"));
  struct spgc_scope scope = spgc_scope_open();
  for (unsigned i = 0; i < 5; i++)
    ck_assert_int_eq(
        spgc_finalizer_register(spgc_handle_get(world_new_leaf(i)), spgc_ref_null(), NULL),
        SPGC_OK);
  spgc_scope_close(scope);
  ck_assert_int_eq(pthread_create(&thread, NULL, attach_and_wait, NULL), 0);
  join_blocking(thread);
  scope = spgc_scope_open();
  world_fill(spgc_handle_make(spgc_ref_null()));
  spgc_scope_close(scope);
  uint64_t collections = world_statistics().collections;
  world_close();
  const char *path = log_path("a");
  log_check(path, LOG_ANY_COLLECTION, collections);
  log_check(path, "^spgc: plan [0-9]+: (the nursery: [^;]+; [^;]+; [^;]+|everything[^;]*) at ",
            collections);
  log_check(path, "^spgc: thread [12]: attached, system thread [0-9]+ at " LOG_MS " s$", 2);
  log_check(path, "^spgc: thread [12]: detached, system thread [0-9]+ at " LOG_MS " s$", 2);
  log_check(path, "^spgc: exhausted: thread 1 requested [0-9]+ bytes at " LOG_MS " s$", 1);
  ck_assert_int_ge(log_count(path, "^spgc: finalizers: [0-9]+ queued by collection [0-9]+, "
                                   "[0-9]+ waiting at " LOG_MS " s$"),
                   1);
  ck_assert_int_ge(log_count(path, "^spgc: refused: [0-9]+ KiB for (copies|an allocation), by "
                                   "the (limit|system) at " LOG_MS " s$"),
                   1);
  log_check(path,
            "^spgc: (" LOG_OUTCOME
            " collection |plan |thread |exhausted: |finalizers: |refused: |limit: |seed "
            "|summary: |cycle: (idle|(marking|marked)(, partial)?|sweeping) at |(nursery|target"
            "): [0-9]+ KiB -> [0-9]+ KiB at |stop: )",
            (uint64_t)log_count(path, ""));
  log_folder_remove();
}
END_TEST

/* For a blocking region's line. */
static void *sleep_long(void *unused) {
  const struct timespec time = {.tv_nsec = 12000000};
  while (nanosleep(&time, NULL) != 0)
    ;
  return unused;
}

START_TEST(a_long_blocking_region_has_a_line) {
  log_folder_make();
  world_open(log_settings("all", "a", ""));
  spgc_call_blocking(sleep_long, NULL);
  world_close();
  log_check(log_path("a"), "^spgc: thread 1: blocked for " LOG_MS " ms at " LOG_MS " s$", 1);
  log_folder_remove();
}
END_TEST

START_TEST(the_cycle_and_sizes_have_lines) {
  log_folder_make();
  world_open_fixed(log_settings("all", "a", "limit=256m,nursery=1m,concurrent=off,verify=none"));
  world_churn(2);
  world_close();
  const char *path = log_path("a");
  ck_assert_int_ge(log_count(path, "^spgc: cycle: marking(, partial)? at " LOG_MS " s$"), 2);
  ck_assert_int_ge(log_count(path, "^spgc: cycle: sweeping at " LOG_MS " s$"), 2);
  ck_assert_int_ge(log_count(path, "^spgc: cycle: idle at " LOG_MS " s$"), 1);
  ck_assert_int_ge(log_count(path, "^spgc: target: [0-9]+ KiB -> [0-9]+ KiB at " LOG_MS " s$"), 1);
  log_folder_remove();
}
END_TEST

static void check_first_line(const char *settings, const char *expression) {
  log_folder_make();
  ck_assert_int_eq(setenv("SPGC_OPTIONS", log_settings("summary", "a", settings), 1), 0);
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  log_check(log_path("a"), "", 1);
  log_check(log_path("a"), expression, 1);
  spgc_stop();
  log_folder_remove();
}

START_TEST(the_first_line_says_where_the_limit_came_from) {
  check_first_line("limit=64m", "^spgc: limit: 65536 KiB, the option limit$");
  check_first_line("", "^spgc: limit: [0-9]+ KiB, three quarters of "
                       "(the machine's memory|what /sys/fs/cgroup/.*/memory[.a-z_]+ admits)$");
}
END_TEST

#define TIMES                                                                                      \
  "p50 " LOG_MS " ms, p90 " LOG_MS " ms, p99 " LOG_MS " ms, longest " LOG_MS " ms, sum " LOG_MS    \
  " ms"
#define TENTHS "[0-9]+\\.[0-9]"

static void check_summary(const char *path, const struct spgc_statistics *statistics) {
  char expression[256];
  snprintf(expression, sizeof expression,
           LOG_SUMMARY
           "collections: all %d, minor %d, final-mark %d, partial final-mark %d, full %d, "
           "in-place full %d$",
           (int)statistics->collections, (int)statistics->minor_collections,
           (int)(statistics->final_marks - statistics->partial_markings),
           (int)statistics->partial_markings,
           (int)(statistics->full_collections - statistics->in_place_collections),
           (int)statistics->in_place_collections);
  log_check(path, expression, 1);
  log_check(path, LOG_SUMMARY "reasons: (none|" LOG_REASON " [0-9]+(, " LOG_REASON " [0-9]+)*)$",
            1);
  log_check(path, LOG_SUMMARY "pauses: " TIMES "$", 1);
  log_check(path, LOG_SUMMARY "stops: " TIMES ", count [0-9]+, slowest thread (none|[0-9]+)$", 1);
  log_check(path,
            LOG_SUMMARY "utilisation: 10 ms " TENTHS "%, 100 ms " TENTHS "%, all " TENTHS
                        "% of " LOG_MS " s$",
            1);
  log_check(path, LOG_SUMMARY "allocated: [0-9]+ bytes, " TENTHS " MiB/s$", 1);
  log_check(path, LOG_SUMMARY "promoted: [0-9]+ bytes, " TENTHS "%$", 1);
  log_check(path, LOG_SUMMARY "born old: [0-9]+ bytes, " TENTHS "%$", 1);
  log_check(path, LOG_SUMMARY "heap: peak [0-9]+ KiB, final [0-9]+ KiB$", 1);
  log_check(path, LOG_SUMMARY, 9);
}

START_TEST(the_summary_is_that_of_the_statistics) {
  log_folder_make();
  world_open(log_settings("summary", "a", "limit=64m,nursery=256k"));
  do_work();
  world_verify();
  struct spgc_statistics statistics = world_statistics();
  spgc_thread_detach();
  ck_assert_int_eq(log_count(log_path("a"), LOG_SUMMARY), 0);
  spgc_stop();
  check_summary(log_path("a"), &statistics);
  log_check(log_path("a"), " collection ", 0);
  char expression[128];
  snprintf(expression, sizeof expression, "allocated: %lu bytes,",
           (unsigned long)statistics.allocated_bytes);
  log_check(log_path("a"), expression, 1);
  log_folder_remove();
}
END_TEST

START_TEST(a_heap_without_collections_has_a_summary) {
  log_folder_make();
  ck_assert_int_eq(setenv("SPGC_OPTIONS", log_settings("summary", "a", ""), 1), 0);
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  spgc_stop();
  spgc_stop();
  const struct spgc_statistics none = {0};
  check_summary(log_path("a"), &none);
  log_check(log_path("a"), "reasons: none$", 1);
  log_check(log_path("a"), "utilisation: 10 ms 100.0%, 100 ms 100.0%, all 100.0% of", 1);
  log_check(log_path("a"), "promoted: 0 bytes, 0.0%$", 1);
  log_folder_remove();
}
END_TEST

/* Returns the child's process number. */
static pid_t run_and_exit(void (*body)(void)) {
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    body();
    exit(0);
  }
  ck_assert_int_eq(status_of(child), 0);
  return child;
}

static void leave_heap_started(void) {
  world_open_fixed(log_settings("summary", "%p.log", ""));
  spgc_collect(SPGC_COLLECTION_FULL);
}

static void stop_heap(void) {
  leave_heap_started();
  world_close();
}

static void leave_a_second_heap_started(void) {
  stop_heap();
  leave_heap_started();
}

START_TEST(the_summary_comes_once_when_the_heap_stops_or_the_process_exits) {
  log_folder_make();
  log_check(log_path_of(run_and_exit(leave_heap_started)), LOG_SUMMARY "collections: all 1,", 1);
  log_check(log_path_of(run_and_exit(stop_heap)), LOG_SUMMARY "collections: all 1,", 1);
  log_check(log_path_of(run_and_exit(leave_a_second_heap_started)),
            LOG_SUMMARY "collections: all 1,", 2);
  log_folder_remove();
}
END_TEST

static void exit_in_pause(void *context, const struct spgc_collection_end_event *event) {
  exit(0);
}

static struct spgc_listener exiting = {.size = sizeof exiting, .collection_end = exit_in_pause};

static void collect_and_exit_in_pause(void) {
  ck_assert_int_eq(spgc_listener_add(&exiting, NULL), SPGC_OK);
  leave_heap_started();
}

START_TEST(a_process_that_exits_in_a_pause_does_not_wait_for_its_end) {
  log_folder_make();
  const char *path = log_path_of(run_and_exit(collect_and_exit_in_pause));
  log_check(path, LOG_SUMMARY "none, because the process exits while the world is stopped$", 1);
  log_check(path, LOG_SUMMARY, 1);
  log_folder_remove();
}
END_TEST

START_TEST(without_the_level_there_is_no_summary) {
  log_folder_make();
  world_open(log_settings("none", "a", ""));
  do_work();
  world_close();
  ck_assert_int_le(log_count(log_path("a"), "summary|collection"), 0);
  log_folder_remove();
}
END_TEST

CHECK_MAIN("log", each_collection_has_a_line_with_its_outcome_and_reason,
           the_statistics_agree_with_one_another, other_events_have_lines_too,
           a_long_blocking_region_has_a_line, the_cycle_and_sizes_have_lines,
           the_first_line_says_where_the_limit_came_from, the_summary_is_that_of_the_statistics,
           a_heap_without_collections_has_a_summary,
           the_summary_comes_once_when_the_heap_stops_or_the_process_exits,
           a_process_that_exits_in_a_pause_does_not_wait_for_its_end,
           without_the_level_there_is_no_summary)
