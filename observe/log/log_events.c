#include "observe/log/log_events.h"

#include <stdio.h>

#include "support/log.h"

static const char *outcome_name(const struct spgc_collection_end_event *event) {
  switch (event->outcome) {
  case SPGC_COLLECTED_MINOR: break;
  case SPGC_COLLECTED_FINAL_MARK: return event->partial ? "partial final-mark" : "final-mark";
  case SPGC_COLLECTED_IN_PLACE: return "in-place full";
  case SPGC_COLLECTED_FULL: return "full";
  }
  return "minor";
}

static const char *note_on_nursery(const struct spgc_collection_end_event *event) {
  switch (event->nursery) {
  case SPGC_NURSERY_COPIED: break;
  case SPGC_NURSERY_PROMOTED: return ", promoted in place";
  }
  return "";
}

enum { PARTS_BYTES = 512, LEAST_PART_NS = 1000 };

static void describe_parts(const struct spgc_collection_end_event *event, char text[PARTS_BYTES]) {
  size_t used = 0;
  text[0] = '\0';
  for (int part = 0; part < SPGC_PAUSE_PART_PLACES && used < PARTS_BYTES; part++)
    if (part != SPGC_PAUSE_STOP && event->part_ns[part] >= LEAST_PART_NS)
      used += (size_t)snprintf(
          text + used, PARTS_BYTES - used, "%s%s " SPGC_LOG_DECIMAL, used == 0 ? "" : ", ",
          spgc_pause_part_name((enum spgc_pause_part)part), SPGC_LOG_MS(event->part_ns[part]));
}

/* The pause begins after the stop, which the line shows separately. */
static void hear_collection_end(void *context, const struct spgc_collection_end_event *event) {
  uint64_t pause_ns = event->end_ns - event->begin_ns;
  char parts[PARTS_BYTES];
  describe_parts(event, parts);
  spgc_log("%s collection %" PRIu64 " (%s) at " SPGC_LOG_DECIMAL " s: %" PRIu64 " KiB -> %" PRIu64
           " KiB, moved %" PRIu64 " objects (%" PRIu64 " bytes)%s, %" PRIu64
           " frames, stop " SPGC_LOG_DECIMAL " ms, pause " SPGC_LOG_DECIMAL " ms: %s",
           outcome_name(event), event->number, spgc_reason_name(event->reason),
           SPGC_LOG_SECONDS(event->begin_ns - spgc_started_ns()), event->heap_bytes_before / 1024,
           event->heap_bytes / 1024, event->moved_objects, event->moved_bytes,
           note_on_nursery(event), event->frames, SPGC_LOG_MS(event->stop_ns),
           SPGC_LOG_MS(pause_ns), parts);
}

struct spgc_listener spgc_log_of_collections = {.size = sizeof spgc_log_of_collections,
                                                .collection_end = hear_collection_end};

/* spgc_log, with the time at the end. `...` has at least one argument. */
#define LOG_AT(ns, format, ...)                                                                    \
  spgc_log(format " at " SPGC_LOG_DECIMAL " s", __VA_ARGS__,                                       \
           SPGC_LOG_SECONDS((ns) - spgc_started_ns()))

static void log_resized(const char *size, const struct spgc_resized_event *event) {
  LOG_AT(event->ns, "%s: %" PRIu64 " KiB -> %" PRIu64 " KiB", size, event->from_bytes / 1024,
         event->to_bytes / 1024);
}

static void hear_plan(void *context, const struct spgc_collection_end_event *event) {
  bool is_minor = event->nursery_plan != NULL;
  LOG_AT(event->begin_ns, "plan %" PRIu64 ": %s%s%s%s%s", event->number, event->plan,
         is_minor ? "; " : "", is_minor ? event->nursery_plan : "", is_minor ? "; " : "",
         is_minor ? event->marking_plan : "");
}

static void hear_nursery_resized(void *context, const struct spgc_resized_event *event) {
  log_resized("nursery", event);
}

static void hear_target_resized(void *context, const struct spgc_resized_event *event) {
  log_resized("target", event);
}

static void log_thread(const char *what, const struct spgc_thread_event *event) {
  LOG_AT(event->ns, "thread %" PRIu64 ": %s, system thread %" PRId64, event->thread, what,
         event->system_thread);
}

static void hear_thread_attached(void *context, const struct spgc_thread_event *event) {
  log_thread("attached", event);
}

static void hear_thread_detached(void *context, const struct spgc_thread_event *event) {
  log_thread("detached", event);
}

static void hear_thread_stopped(void *context, const struct spgc_thread_stopped_event *event) {
  LOG_AT(event->arrived_ns, "thread %" PRIu64 ": stopped after " SPGC_LOG_DECIMAL " ms",
         event->thread, SPGC_LOG_MS(event->arrived_ns - event->asked_ns));
}

static void hear_blocking(void *context, const struct spgc_blocking_event *event) {
  uint64_t ns = event->end_ns - event->begin_ns;
  if (ns >= SPGC_LEAST_LOGGED_NS)
    LOG_AT(event->end_ns, "thread %" PRIu64 ": blocked for " SPGC_LOG_DECIMAL " ms", event->thread,
           SPGC_LOG_MS(ns));
}

static void hear_blocks_refused(void *context, const struct spgc_blocks_refused_event *event) {
  LOG_AT(event->ns, "refused: %" PRIu64 " KiB for %s, by the %s", event->bytes / 1024,
         event->for_copies ? "copies" : "an allocation",
         event->by == SPGC_REFUSED_BY_LIMIT ? "limit" : "system");
}

static void hear_finalizers_queued(void *context,
                                   const struct spgc_finalizers_queued_event *event) {
  LOG_AT(event->ns, "finalizers: %" PRIu64 " queued by collection %" PRIu64 ", %" PRIu64 " waiting",
         event->queued, event->number, event->waiting);
}

static const char *phase_name(enum spgc_cycle_phase phase) {
  switch (phase) {
  case SPGC_CYCLE_IDLE: break;
  case SPGC_CYCLE_MARKING: return "marking";
  case SPGC_CYCLE_MARKED: return "marked";
  case SPGC_CYCLE_SWEEPING: return "sweeping";
  }
  return "idle";
}

static void hear_cycle(void *context, const struct spgc_cycle_event *event) {
  bool marks = event->phase == SPGC_CYCLE_MARKING || event->phase == SPGC_CYCLE_MARKED;
  LOG_AT(event->ns, "cycle: %s%s", phase_name(event->phase),
         marks && event->partial ? ", partial" : "");
}

static void hear_out_of_memory(void *context, const struct spgc_out_of_memory_event *event) {
  char why[80] = "";
  if (event->futile_collections != 0)
    snprintf(why, sizeof why, ", after %" PRIu64 " futile full collections",
             event->futile_collections);
  LOG_AT(event->ns, "exhausted: thread %" PRIu64 " requested %" PRIu64 " bytes%s", event->thread,
         event->requested_bytes, why);
}

struct spgc_listener spgc_log_of_others = {
    .size = sizeof spgc_log_of_others,
    .collection_end = hear_plan,
    .thread_stopped = hear_thread_stopped,
    .nursery_resized = hear_nursery_resized,
    .target_resized = hear_target_resized,
    .thread_attached = hear_thread_attached,
    .thread_detached = hear_thread_detached,
    .blocking = hear_blocking,
    .blocks_refused = hear_blocks_refused,
    .finalizers_queued = hear_finalizers_queued,
    .cycle = hear_cycle,
    .out_of_memory = hear_out_of_memory,
};
