#include "observe/snapshot/snapshot.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "gc/inspect.h"
#include "heap/memory.h"
#include "observe/snapshot/child.h"
#include "observe/snapshot/place_names.h"
#include "observe/snapshot/snapshot_file.h"
#include "spgc/thread.h"
#include "support/cancellation.h"
#include "support/collector_thread.h"
#include "support/fatal.h"

struct snapshot {
  const char *path;
  struct spgc_output *output;
  struct spgc_root_list roots;
  bool heap_was_stopped; /* spgc_stop came before the stop of the world */
  pid_t child;           /* or 0 */
  int error;             /* before there was a child */
  struct spgc_child_outcome outcome;
};

static _Noreturn void write_in_child(const struct snapshot *snapshot) {
  struct spgc_graph graph;
  bool complete = spgc_graph_create(&graph, &spgc_runtime.heap, &snapshot->roots);
  spgc_child_end(complete ? spgc_snapshot_file_write(snapshot->output, &graph) : ENOMEM);
}

/* Holds the cycle, so that the child's copy of the heap is not being swept. */
static void begin_stopped(struct spgc_stopped_world world, void *context) {
  struct snapshot *snapshot = context;
  struct spgc_runtime *runtime = &spgc_runtime;
  snapshot->heap_was_stopped = !runtime->started;
  if (snapshot->heap_was_stopped)
    return;
  spgc_cycle_hold(&runtime->cycle);
  bool listed = spgc_root_list_fill(&snapshot->roots, world, &runtime->heap);
  snapshot->child = listed ? spgc_child_begin(snapshot->output->file) : 0;
  if (listed && snapshot->child == 0)
    write_in_child(snapshot);
  snapshot->error = listed ? errno : ENOMEM;
  spgc_cycle_release(&runtime->cycle);
}

static void *wait_for_child(void *context) {
  struct snapshot *snapshot = context;
  SPGC_UNCANCELLED;
  spgc_place_names_find(&snapshot->roots);
  snapshot->outcome = spgc_child_wait(snapshot->child);
  return NULL;
}

static void add_place_names(struct snapshot *snapshot) {
  for (size_t i = 0; i < spgc_root_list_places(&snapshot->roots); i++) {
    char text[SPGC_PLACE_NAME_BYTES];
    size_t length = spgc_place_name(&snapshot->roots, i, text);
    spgc_snapshot_file_string(snapshot->output, text, length);
  }
  for (size_t i = 0; i < spgc_root_list_variables(&snapshot->roots); i++) {
    const char *name = spgc_variable_name(&snapshot->roots, i);
    spgc_snapshot_file_string(snapshot->output, name, strlen(name));
  }
  spgc_snapshot_file_end(snapshot->output);
}

static enum spgc_result report_begin(const struct snapshot *snapshot, struct spgc_error *error) {
  if (snapshot->heap_was_stopped)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                          "spgc_snapshot_write: the heap is not started");
  return spgc_error_set(error, snapshot->error == ENOMEM ? SPGC_ERROR_NO_MEMORY : SPGC_ERROR_SYSTEM,
                        0, "spgc_snapshot_write: cannot fork a process that writes %.300s: %s",
                        snapshot->path, strerrordesc_np(snapshot->error));
}

static enum spgc_result report_child(const struct snapshot *snapshot, struct spgc_error *error) {
  int signal = snapshot->outcome.signal;
  if (signal != 0)
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0,
                          "spgc_snapshot_write: the process that wrote %.300s ended by signal %d "
                          "(%s)",
                          snapshot->path, signal, sigdescr_np(signal));
  if (snapshot->outcome.error == EOVERFLOW)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "spgc_snapshot_write: %.300s: the heap has more objects than the format "
                          "can number",
                          snapshot->path);
  snapshot->output->error = snapshot->outcome.error;
  enum spgc_result result =
      spgc_output_report(snapshot->output, "spgc_snapshot_write", snapshot->path, error);
  if (snapshot->outcome.error == ENOMEM && error != NULL)
    error->code = SPGC_ERROR_NO_MEMORY;
  return snapshot->outcome.error == ENOMEM ? SPGC_ERROR_NO_MEMORY : result;
}

/* An incomplete file is removed. */
static enum spgc_result end(struct snapshot *snapshot, struct spgc_error *error) {
  if (snapshot->child <= 0) {
    spgc_output_discard(snapshot->output);
    return report_begin(snapshot, error);
  }
  spgc_any_thread_call_blocking(wait_for_child, snapshot);
  if (snapshot->outcome.error != 0 || snapshot->outcome.signal != 0) {
    spgc_output_discard(snapshot->output);
    return report_child(snapshot, error);
  }
  add_place_names(snapshot);
  return spgc_output_finish(snapshot->output)
             ? SPGC_OK
             : spgc_output_report(snapshot->output, "spgc_snapshot_write", snapshot->path, error);
}

/* Opening a pipe waits for its reader. */
static void *begin_output(void *context) {
  const struct snapshot *snapshot = context;
  SPGC_UNCANCELLED;
  spgc_code_lines_load();
  return spgc_output_begin(snapshot->output, snapshot->path) ? context : NULL;
}

static enum spgc_result write_to(struct spgc_output *output, const char *path,
                                 struct spgc_error *error) {
  struct snapshot snapshot = {.path = path, .output = output};
  if (spgc_any_thread_call_blocking(begin_output, &snapshot) == NULL)
    return spgc_output_report(output, "spgc_snapshot_write", path, error);
  spgc_any_thread_run_stopped(begin_stopped, &snapshot);
  enum spgc_result result = end(&snapshot, error);
  spgc_root_list_free(&snapshot.roots);
  return result;
}

static enum spgc_result write_alone(const char *path, struct spgc_error *error) {
  struct spgc_output *output = spgc_memory_map(sizeof *output);
  if (output == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "spgc_snapshot_write: out of memory");
  enum spgc_result result = write_to(output, path, error);
  spgc_memory_unmap(output, sizeof *output);
  return result;
}

/* The writing process, or 0. A forked child inherits its parent's number. */
static _Atomic(pid_t) writing;

enum spgc_result spgc_snapshot_write(const char *path, struct spgc_error *error) {
  SPGC_UNCANCELLED;
  const char *forbids = spgc_any_thread_forbidden();
  if (path == NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_snapshot_write: no path is given");
  if (forbids != NULL)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "spgc_snapshot_write: no snapshot %.200s: %s",
                          path, forbids);
  pid_t process = getpid(), before = atomic_load(&writing);
  if (before == process || !atomic_compare_exchange_strong(&writing, &before, process))
    return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                          "spgc_snapshot_write: no snapshot %.200s: another thread is writing one",
                          path);
  enum spgc_result result = write_alone(path, error);
  atomic_store(&writing, 0);
  return result;
}
