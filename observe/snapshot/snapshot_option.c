#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gc/inspect.h"
#include "observe/snapshot/snapshot.h"
#include "spgc/events.h"
#include "support/log.h"

static atomic_bool is_due;
static pid_t process; /* the one that started the heap */

/* A forked child must not replace its parent's file. */
static bool would_replace(const char *path) {
  return getpid() != process && strstr(path, "%p") == NULL;
}

static bool waits_for_signal(void) {
  return spgc_runtime.options.snapshot_signal != 0;
}

static void write_once(void) {
  const char *path = spgc_runtime.options.snapshot;
  struct spgc_error error;
  if (!atomic_exchange(&is_due, false))
    return;
  if (would_replace(path))
    spgc_log(
        "no snapshot of the forked process %d: %s belongs to its parent; put %%p into the name",
        getpid(), path);
  else if (spgc_snapshot_write(path, &error) != SPGC_OK)
    spgc_log("%s", error.message);
}

static void write_at_out_of_memory(void *context, const struct spgc_out_of_memory_event *event) {
  write_once();
}

/* After main has returned, the frame given to spgc_thread_attach is gone. Only if frames of the
 * exit took its place can the stack be walked. */
static bool has_lost_base(void) {
  const struct spgc_mutator *self = spgc_mutator_current;
  return self != NULL && self->fibers.running == &self->fibers.own &&
         (uintptr_t)__builtin_frame_address(0) >= (uintptr_t)self->stack_base;
}

/* Threads may still be attached. */
static void write_at_exit(void) {
  if (!spgc_runtime.started)
    return;
  if (has_lost_base())
    spgc_log("no snapshot %s: main returned while its thread was attached",
             spgc_runtime.options.snapshot);
  else
    write_once();
}

static void handle_exit(void) {
  static atomic_bool handled;
  if (!atomic_exchange(&handled, true) && atexit(write_at_exit) != 0)
    spgc_log("no snapshot when the process exits: out of memory");
}

static struct spgc_listener listener = {.size = sizeof listener,
                                        .out_of_memory = write_at_out_of_memory};

void spgc_snapshot_option_begin(void) {
  static atomic_bool listens;
  struct spgc_error error;
  if (spgc_runtime.options.snapshot == NULL)
    return;
  if (waits_for_signal()) {
    spgc_snapshot_signal_begin(spgc_runtime.options.snapshot_signal, spgc_runtime.options.snapshot);
    return;
  }
  process = getpid();
  if (!atomic_exchange(&listens, true) && spgc_listener_add(&listener, &error) != SPGC_OK)
    spgc_log("%s", error.message);
  atomic_store(&is_due, true);
  handle_exit();
}

/* A forked child may not have chosen the signal. */
void spgc_snapshot_option_end(void) {
  if (spgc_runtime.started)
    write_once();
  if (spgc_runtime.started && waits_for_signal())
    spgc_snapshot_on_signal(spgc_runtime.options.snapshot_signal, NULL, NULL);
}
