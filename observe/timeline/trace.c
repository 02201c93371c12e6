#include "observe/timeline/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "observe/timeline/trace_timeline.h"
#include "support/cancellation.h"
#include "support/clock.h"
#include "support/collector_thread.h"
#include "support/fatal.h"
#include "support/file_name.h"
#include "support/futex.h"
#include "support/log.h"

enum { REST_NS = 100000000 };

enum stage {
  OFF,
  WAITING, /* a child before its first collection: events are recorded without a writer */
  RUNNING,
  STOPPING, /* a thread waits for the writer */
};

static struct {
  _Atomic enum stage stage;
  char path[PATH_MAX + 1]; /* longer ones are refused */
  uint64_t origin_ns;
  pid_t process; /* the one that has the writer */
  pthread_t thread;
  sem_t opened;          /* or could not be opened */
  sem_t wake;            /* when the buffer is half full, and at the end */
  _Atomic bool is_awake; /* `wake` was posted since the writer rested */
  _Atomic bool has_failed;
  _Atomic bool has_told; /* a line in the log has reported a failure */
  _Atomic bool has_collected;
  _Atomic bool is_starting;   /* a child's writer */
  _Atomic uint32_t recording; /* threads in `record` */
  struct spgc_trace_buffer buffer;

  bool lacks_descriptors;
  struct spgc_trace_file file;
  struct spgc_trace_timeline timeline;
} trace;

/* Not even standard streams are shared with the program: a pipe's reader must see when it closes
 * them. */
static bool open_file(void) {
  trace.lacks_descriptors = close_range(0, ~0U, CLOSE_RANGE_UNSHARE) != 0;
  if (trace.lacks_descriptors) {
    trace.file.output.error = errno;
    return false;
  }
  return spgc_trace_file_begin(&trace.file, trace.path, trace.origin_ns);
}

static void draw_all(void) {
  struct spgc_trace_record record;
  while (spgc_trace_buffer_take(&trace.buffer, &record))
    spgc_trace_timeline_draw(&trace.timeline, &record);
  spgc_trace_timeline_note_lost(&trace.timeline, atomic_load(&trace.buffer.lost));
}

static void rest(void) {
  uint64_t until = spgc_clock_ns() + REST_NS;
  const struct timespec time = {.tv_sec = (time_t)(until / 1000000000),
                                .tv_nsec = (long)(until % 1000000000)};
  while (sem_clockwait(&trace.wake, CLOCK_MONOTONIC, &time) != 0 && errno == EINTR)
    ;
  atomic_store(&trace.is_awake, false);
}

static void write_events(void) {
  spgc_trace_timeline_begin(&trace.timeline, &trace.file);
  while (atomic_load(&trace.stage) != STOPPING && trace.file.output.error == 0) {
    draw_all();
    spgc_trace_file_rest(&trace.file);
    rest();
  }
  draw_all();
  spgc_trace_timeline_end(&trace.timeline);
  if (!spgc_trace_file_end(&trace.file))
    atomic_store(&trace.has_failed, true);
}

static void *run(void *unused) {
  bool opened = open_file();
  atomic_store(&trace.has_failed, !opened);
  sem_post(&trace.opened);
  if (opened)
    write_events();
  return unused;
}

static bool start_thread(void) {
  int failed =
      spgc_collector_thread_start(&trace.thread, "spgc-trace", SPGC_SMALL_STACK_BYTES, run, NULL);
  if (failed != 0)
    trace.file.output.error = failed;
  return failed == 0;
}

static void tell_failure(void) {
  if (!atomic_exchange(&trace.has_told, true))
    spgc_log("trace: cannot write %.300s: %s%s", trace.path,
             trace.lacks_descriptors
                 ? "the system refuses a file descriptor table of the thread's own: "
                 : "",
             strerrordesc_np(trace.file.output.error));
}

/* Waits until the file is open, because its name is relative to the working directory. */
static bool start_writer(void) {
  trace.process = getpid();
  atomic_store(&trace.has_failed, false);
  atomic_store(&trace.has_told, false);
  atomic_store(&trace.is_awake, false);
  sem_init(&trace.opened, 0, 0);
  sem_init(&trace.wake, 0, 0);
  bool started = start_thread();
  while (started && sem_wait(&trace.opened) != 0)
    ;
  if (started && !atomic_load(&trace.has_failed))
    return true;
  if (started)
    pthread_join(trace.thread, NULL);
  tell_failure();
  return false;
}

/* Called outside of pauses. */
static void look_after_writer(void) {
  if (atomic_load(&trace.stage) == WAITING && atomic_load(&trace.has_collected) &&
      !atomic_exchange(&trace.is_starting, true))
    atomic_store(&trace.stage, start_writer() ? RUNNING : OFF);
  if (atomic_load(&trace.has_failed) && atomic_load(&trace.stage) == RUNNING)
    tell_failure();
}

static void add(enum spgc_trace_kind kind, const void *event, size_t size) {
  enum stage stage = atomic_load(&trace.stage);
  if (stage != RUNNING && stage != WAITING)
    return;
  if (!atomic_load_explicit(&trace.has_failed, memory_order_relaxed) &&
      spgc_trace_buffer_add(&trace.buffer, kind, event, size) && stage == RUNNING &&
      !atomic_exchange(&trace.is_awake, true))
    sem_post(&trace.wake);
  if (kind == SPGC_TRACE_collection_end)
    atomic_store_explicit(&trace.has_collected, true, memory_order_relaxed);
  if (kind == SPGC_TRACE_world_resumed)
    look_after_writer();
}

/* A thread that is not attached may report an event after the heap was stopped and started again.
 * Either it sees that the trace is off, or the end of the trace waits for it. */
static void record(enum spgc_trace_kind kind, const void *event, size_t size) {
  atomic_fetch_add(&trace.recording, 1);
  add(kind, event, size);
  if (atomic_fetch_sub(&trace.recording, 1) == 1 && atomic_load(&trace.stage) == OFF)
    spgc_futex_wake(&trace.recording);
}

/* The trace is off. */
static void await_recorders(void) {
  uint32_t left;
  while ((left = atomic_load(&trace.recording)) != 0)
    spgc_futex_wait(&trace.recording, left);
}

#define SPGC_EVENT(name, type, when)                                                               \
  static void record_##name(void *context, const struct type *event) {                             \
    record(SPGC_TRACE_##name, event, sizeof *event);                                               \
  }
SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT

struct spgc_listener spgc_trace_listener = {.size = sizeof spgc_trace_listener,
#define SPGC_EVENT(event_name, type, when) .event_name = record_##event_name,
                                            SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
};

static bool begin(const char *path) {
  snprintf(trace.path, sizeof trace.path, "%s", path);
  trace.origin_ns = spgc_clock_ns();
  if (spgc_trace_buffer_begin(&trace.buffer))
    return start_writer();
  spgc_log("trace: out of memory");
  return false;
}

bool spgc_trace_start(const char *path) {
  if (!begin(path))
    return false;
  atomic_store(&trace.stage, RUNNING);
  return true;
}

static void tell_end(void) {
  uint64_t lost = atomic_load(&trace.buffer.lost);
  if (atomic_load(&trace.has_failed))
    tell_failure();
  else if (lost != 0)
    spgc_log("trace: %" PRIu64 " events are missing in %.300s, because they came faster than they "
             "could be written",
             lost, trace.path);
}

/* The process may exit while another thread stops the heap: one of them ends the trace. */
static void end(void) {
  enum stage running = RUNNING, waiting = WAITING;
  if (trace.process != getpid()) /* a child made without fork's handlers has no writer */
    return;
  if (!atomic_compare_exchange_strong(&trace.stage, &running, STOPPING)) {
    atomic_compare_exchange_strong(&trace.stage, &waiting, OFF);
    return;
  }
  sem_post(&trace.wake);
  pthread_join(trace.thread, NULL);
  tell_end();
  atomic_store(&trace.stage, OFF);
}

void spgc_trace_stop(void) {
  end();
  if (atomic_load(&trace.stage) != OFF)
    return;
  await_recorders();
  spgc_trace_buffer_end(&trace.buffer);
}

__attribute__((destructor)) static void end_at_exit(void) {
  SPGC_UNCANCELLED;
  end();
}

/* In the child, before the program's own handlers. */
static void begin_anew(void) {
  atomic_store(&trace.recording, 0);
  if (atomic_load(&trace.stage) == OFF)
    return;
  bool has_name = spgc_file_name_has_process(trace.path) && spgc_trace_buffer_begin(&trace.buffer);
  trace.process = getpid();
  trace.origin_ns = spgc_clock_ns();
  atomic_store(&trace.has_collected, false);
  atomic_store(&trace.is_starting, false);
  atomic_store(&trace.has_failed, false);
  atomic_store(&trace.stage, has_name ? WAITING : OFF);
}

__attribute__((constructor)) static void register_handler(void) {
  int result = pthread_atfork(NULL, NULL, begin_anew);
  spgc_require(result == 0, "cannot register a fork handler: %s", strerror(result));
}
