/* A listener with only spgc/events.h writes the log's lines, and computes the statistics. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "check_main.h"
#include "ends.h"
#include "heap_world.h"
#include "log_lines.h"
#include "spgc/events.h"
#include "spgc/finalizer.h"

/* One thread at a time runs managed code, so the lines have one order. */
static FILE *lines;

/* Cuts a time after its third decimal: milliseconds, or seconds for `at`. */
#define DECIMAL "%" PRIu64 ".%03" PRIu64
#define MS(ns) (ns) / 1000000, (ns) / 1000 % 1000
#define SECONDS(ns) MS((ns) / 1000)

__attribute__((format(printf, 2, 3))) static void write_at(uint64_t ns, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("spgc: ", lines);
  vfprintf(lines, format, arguments);
  fprintf(lines, " at " DECIMAL " s\n", SECONDS(ns - spgc_started_ns()));
  va_end(arguments);
}

static const char *outcome(const struct spgc_collection_end_event *event) {
  static const char *const names[] = {[SPGC_COLLECTED_MINOR] = "minor",
                                      [SPGC_COLLECTED_FINAL_MARK] = "final-mark",
                                      [SPGC_COLLECTED_FULL] = "full",
                                      [SPGC_COLLECTED_IN_PLACE] = "in-place full"};
  return event->partial ? "partial final-mark" : names[event->outcome];
}

static const char *nursery(const struct spgc_collection_end_event *event) {
  static const char *const words[] = {
      [SPGC_NURSERY_COPIED] = "", [SPGC_NURSERY_PROMOTED] = ", promoted in place"};
  return words[event->nursery];
}

static struct spgc_statistics sums;

static void sum_up(const struct spgc_collection_end_event *event) {
  uint64_t ns = event->end_ns - event->begin_ns;
  bool is_minor = event->outcome == SPGC_COLLECTED_MINOR;
  bool is_final_mark = event->outcome == SPGC_COLLECTED_FINAL_MARK;
  sums.collections++;
  sums.minor_collections += is_minor;
  sums.final_marks += is_final_mark;
  sums.full_collections += !is_minor && !is_final_mark;
  sums.in_place_collections += event->outcome == SPGC_COLLECTED_IN_PLACE;
  sums.partial_markings += event->partial;
  sums.reasons[event->reason]++;
  sums.live_bytes = event->live_bytes;
  sums.promoted_bytes += event->promoted_bytes;
  sums.moved_objects += event->moved_objects;
  sums.moved_bytes += event->moved_bytes;
  sums.frames_walked += event->frames;
  sums.roots_in_slots += event->roots_in_slots;
  sums.roots_in_registers += event->roots_in_registers;
  sums.registers_rewritten += event->registers_rewritten;
  sums.total_pause_ns += ns;
  if (ns > sums.longest_pause_ns)
    sums.longest_pause_ns = ns;
  if (is_minor && ns > sums.longest_minor_pause_ns)
    sums.longest_minor_pause_ns = ns;
  if (is_final_mark && ns > sums.longest_final_mark_ns)
    sums.longest_final_mark_ns = ns;
}

static void hear_collection_end(void *context, const struct spgc_collection_end_event *event) {
  const char *comma = "";
  fprintf(lines,
          "spgc: %s collection %" PRIu64 " (%s) at " DECIMAL " s: %" PRIu64 " KiB -> %" PRIu64
          " KiB, moved %" PRIu64 " objects (%" PRIu64 " bytes)%s, %" PRIu64 " frames, stop " DECIMAL
          " ms, pause " DECIMAL " ms: ",
          outcome(event), event->number, spgc_reason_name(event->reason),
          SECONDS(event->begin_ns - spgc_started_ns()), event->heap_bytes_before / 1024,
          event->heap_bytes / 1024, event->moved_objects, event->moved_bytes, nursery(event),
          event->frames, MS(event->stop_ns), MS(event->end_ns - event->begin_ns));
  for (int part = 0; part < SPGC_PAUSE_PART_PLACES; part++)
    if (part != SPGC_PAUSE_STOP && event->part_ns[part] >= 1000) {
      fprintf(lines, "%s%s " DECIMAL, comma, spgc_pause_part_name((enum spgc_pause_part)part),
              MS(event->part_ns[part]));
      comma = ", ";
    }
  fputc('\n', lines);
  if (event->nursery_plan == NULL)
    write_at(event->begin_ns, "plan %" PRIu64 ": %s", event->number, event->plan);
  else
    write_at(event->begin_ns, "plan %" PRIu64 ": %s; %s; %s", event->number, event->plan,
             event->nursery_plan, event->marking_plan);
  sum_up(event);
}

static void hear_nursery_resized(void *context, const struct spgc_resized_event *event) {
  write_at(event->ns, "nursery: %" PRIu64 " KiB -> %" PRIu64 " KiB", event->from_bytes / 1024,
           event->to_bytes / 1024);
}

static void hear_target_resized(void *context, const struct spgc_resized_event *event) {
  write_at(event->ns, "target: %" PRIu64 " KiB -> %" PRIu64 " KiB", event->from_bytes / 1024,
           event->to_bytes / 1024);
}

static void hear_thread_attached(void *context, const struct spgc_thread_event *event) {
  write_at(event->ns, "thread %" PRIu64 ": attached, system thread %" PRId64, event->thread,
           event->system_thread);
}

static void hear_thread_detached(void *context, const struct spgc_thread_event *event) {
  write_at(event->ns, "thread %" PRIu64 ": detached, system thread %" PRId64, event->thread,
           event->system_thread);
}

static void hear_thread_stopped(void *context, const struct spgc_thread_stopped_event *event) {
  write_at(event->arrived_ns, "thread %" PRIu64 ": stopped after " DECIMAL " ms", event->thread,
           MS(event->arrived_ns - event->asked_ns));
}

static void hear_blocking(void *context, const struct spgc_blocking_event *event) {
  uint64_t ns = event->end_ns - event->begin_ns;
  if (ns >= 10000000)
    write_at(event->end_ns, "thread %" PRIu64 ": blocked for " DECIMAL " ms", event->thread,
             MS(ns));
}

static void hear_blocks_refused(void *context, const struct spgc_blocks_refused_event *event) {
  static const char *const words[] = {
      [SPGC_REFUSED_BY_LIMIT] = "limit", [SPGC_REFUSED_BY_SYSTEM] = "system"};
  write_at(event->ns, "refused: %" PRIu64 " KiB for %s, by the %s", event->bytes / 1024,
           event->for_copies ? "copies" : "an allocation", words[event->by]);
}

static void hear_finalizers_queued(void *context,
                                   const struct spgc_finalizers_queued_event *event) {
  write_at(event->ns,
           "finalizers: %" PRIu64 " queued by collection %" PRIu64 ", %" PRIu64 " waiting",
           event->queued, event->number, event->waiting);
}

static void hear_cycle(void *context, const struct spgc_cycle_event *event) {
  static const char *const names[] = {[SPGC_CYCLE_IDLE] = "idle",
                                      [SPGC_CYCLE_MARKING] = "marking",
                                      [SPGC_CYCLE_MARKED] = "marked",
                                      [SPGC_CYCLE_SWEEPING] = "sweeping"};
  bool marks = event->phase == SPGC_CYCLE_MARKING || event->phase == SPGC_CYCLE_MARKED;
  write_at(event->ns, "cycle: %s%s", names[event->phase],
           marks && event->partial ? ", partial" : "");
}

static void hear_out_of_memory(void *context, const struct spgc_out_of_memory_event *event) {
  write_at(event->ns, "exhausted: thread %" PRIu64 " requested %" PRIu64 " bytes", event->thread,
           event->requested_bytes);
}

static uint64_t asked_ns;

static void hear_world_stopped(void *context, const struct spgc_world_stopped_event *event) {
  uint64_t ns = event->stopped_ns - event->asked_ns;
  asked_ns = event->asked_ns;
  sums.stops.count++;
  sums.stops.sum_ns += ns;
  if (ns > sums.longest_stop_ns)
    sums.longest_stop_ns = ns;
}

static void hear_world_resumed(void *context, const struct spgc_world_resumed_event *event) {
  sums.stopped_ns += event->resumed_ns - asked_ns;
}

static struct spgc_listener listener = {.size = sizeof listener,
                                        .world_stopped = hear_world_stopped,
                                        .world_resumed = hear_world_resumed,
                                        .thread_stopped = hear_thread_stopped,
                                        .collection_end = hear_collection_end,
                                        .nursery_resized = hear_nursery_resized,
                                        .target_resized = hear_target_resized,
                                        .thread_attached = hear_thread_attached,
                                        .thread_detached = hear_thread_detached,
                                        .blocking = hear_blocking,
                                        .blocks_refused = hear_blocks_refused,
                                        .finalizers_queued = hear_finalizers_queued,
                                        .cycle = hear_cycle,
                                        .out_of_memory = hear_out_of_memory};

static void listen(void) {
  log_folder_make();
  lines = fopen(log_path("own"), "w");
  ck_assert_ptr_nonnull(lines);
  memset(&sums, 0, sizeof sums);
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
}

static void check_statistics(const struct spgc_statistics *statistics) {
#define CHECK(field) ck_assert_uint_eq(sums.field, statistics->field)
  CHECK(collections);
  CHECK(minor_collections);
  CHECK(final_marks);
  CHECK(full_collections);
  CHECK(partial_markings);
  CHECK(in_place_collections);
  CHECK(moved_objects);
  CHECK(moved_bytes);
  CHECK(promoted_bytes);
  CHECK(live_bytes);
  CHECK(frames_walked);
  CHECK(roots_in_slots);
  CHECK(roots_in_registers);
  CHECK(registers_rewritten);
  CHECK(total_pause_ns);
  CHECK(longest_pause_ns);
  CHECK(longest_minor_pause_ns);
  CHECK(longest_final_mark_ns);
  CHECK(stops.count);
  CHECK(stops.sum_ns);
  CHECK(longest_stop_ns);
  CHECK(stopped_ns);
#undef CHECK
  for (int reason = 0; reason < SPGC_STATISTICS_REASONS; reason++)
    ck_assert_uint_eq(sums.reasons[reason], statistics->reasons[reason]);
}

/* Skips lines of slow stops, the seed, the limit and the summary. */
static bool next_line(FILE *file, char line[2048]) {
  while (fgets(line, 2048, file) != NULL)
    if (strncmp(line, "spgc: stop: ", 12) != 0 && strncmp(line, "spgc: seed ", 11) != 0 &&
        strncmp(line, "spgc: limit: ", 13) != 0 && strncmp(line, "spgc: summary: ", 15) != 0)
      return true;
  return false;
}

static void compare_lines(void) {
  char in_log[2048], own[2048];
  FILE *log = fopen(log_path("log"), "r"), *file = fopen(log_path("own"), "r");
  ck_assert(log != NULL && file != NULL);
  while (next_line(log, in_log)) {
    ck_assert(next_line(file, own));
    ck_assert_str_eq(own, in_log);
  }
  ck_assert(!next_line(file, own));
  fclose(log);
  fclose(file);
}

static struct spgc_statistics finish(void) {
  world_verify();
  struct spgc_statistics statistics = world_statistics();
  check_statistics(&statistics);
  world_close();
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
  ck_assert_ptr_nonnull(lines);
  fclose(lines);
  compare_lines();
  ck_assert_int_eq(log_count(log_path("own"), LOG_ANY_COLLECTION),
                   log_count(log_path("own"), " collection [0-9]+ \\("));
  return statistics;
}

START_TEST(minor_final_mark_and_full_collections) {
  listen();
  world_open_fixed(log_settings("all", "log", "limit=256m,nursery=1m,concurrent=off,verify=none"));
  world_churn(6);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_statistics statistics = finish();
  ck_assert_uint_gt(statistics.minor_collections, 0);
  ck_assert_uint_ge(statistics.final_marks, 6);
  ck_assert_uint_eq(statistics.full_collections, 1);
  ck_assert_uint_gt(statistics.moved_objects, 0);
  log_folder_remove();
}
END_TEST

START_TEST(nurseries_that_are_promoted_in_place) {
  listen();
  world_open_fixed(log_settings("all", "log", "limit=256m,nursery=1m,concurrent=off"));
  struct spgc_handle list = world_new_list(200000);
  world_check_list(list, 200000);
  finish();
  ck_assert_int_gt(log_count(log_path("own"), ", promoted in place, "), 0);
  log_folder_remove();
}
END_TEST

int __real_mprotect(void *address, size_t bytes, int protection);
int __wrap_mprotect(void *address, size_t bytes, int protection);

static bool refuses;

int __wrap_mprotect(void *address, size_t bytes, int protection) {
  if (refuses && protection != PROT_NONE) {
    errno = ENOMEM;
    return -1;
  }
  return __real_mprotect(address, bytes, protection);
}

START_TEST(a_collection_in_place) {
  listen();
  world_open_fixed(log_settings("all", "log", "poison=on,nursery=8m,concurrent=off"));
  struct spgc_handle list = world_new_list(50000);
  refuses = true;
  spgc_collect(SPGC_COLLECTION_MINOR);
  refuses = false;
  world_check_list(list, 50000);
  struct spgc_statistics statistics = finish();
  ck_assert_uint_eq(statistics.in_place_collections, 1);
  ck_assert_int_eq(log_count(log_path("own"), "^spgc: in-place full collection .*, promoted in"),
                   1);
  ck_assert_int_ge(log_count(log_path("own"), "^spgc: refused: .* for copies, by the system"), 1);
  log_folder_remove();
}
END_TEST

static void *attach_and_collect(void *unused) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_thread_detach();
  return unused;
}

static void queue_finalizers(unsigned count) {
  struct spgc_scope scope = spgc_scope_open();
  for (unsigned i = 0; i < count; i++)
    ck_assert_int_eq(
        spgc_finalizer_register(spgc_handle_get(world_new_leaf(i)), spgc_ref_null(), NULL),
        SPGC_OK);
  spgc_scope_close(scope);
}

START_TEST(exhausted_memory_threads_and_finalizers) {
  pthread_t thread;
  listen();
  world_require("concurrent=off");
  world_open(log_settings("all", "log", "limit=4m"));
  queue_finalizers(5);
  ck_assert_int_eq(pthread_create(&thread, NULL, attach_and_collect, NULL), 0);
  join_blocking(thread);
  struct spgc_scope scope = spgc_scope_open();
  world_fill(spgc_handle_make(spgc_ref_null()));
  spgc_scope_close(scope);
  struct spgc_statistics statistics = finish();
  ck_assert_uint_gt(statistics.moved_objects, 0);
  ck_assert_uint_gt(statistics.promoted_bytes, 0);
  if (world_is_stressed())
    ck_assert_uint_gt(statistics.reasons[SPGC_REASON_STRESS], 0);
  ck_assert_int_eq(log_count(log_path("own"), "^spgc: exhausted: "), 1);
  ck_assert_int_eq(log_count(log_path("own"), "^spgc: thread 2: (at|de)tached"), 2);
  ck_assert_int_gt(log_count(log_path("own"), "^spgc: finalizers: "), 0);
  ck_assert_int_gt(log_count(log_path("own"), "^spgc: refused: "), 0);
  log_folder_remove();
}
END_TEST

CHECK_MAIN("log_listener", minor_final_mark_and_full_collections,
           nurseries_that_are_promoted_in_place, a_collection_in_place,
           exhausted_memory_threads_and_finalizers)
