/* A snapshot at a signal. The handler only posts a request, because it may run anywhere. A thread
 * of the library waits for it. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "gc/mutator/any_thread.h"
#include "gc/mutator/world.h"
#include "observe/snapshot/snapshot.h"
#include "support/cancellation.h"
#include "support/collector_thread.h"
#include "support/fatal.h"
#include "support/log.h"

enum stage {
  NONE,
  CHOSEN,
  ENDING, /* the signal is given back, and the thread that does that waits for the other one */
};

/* Under the world's lock. Path, semaphore, thread and `ends` belong to the thread while there is
 * one: they change only in the stage NONE. A forked child inherits all but the thread, so that the
 * stage is that of the process that has chosen. */
static struct {
  enum stage stage;
  int signal;
  _Atomic pid_t process; /* that has chosen it. The handler reads it on any thread */
  char path[PATH_MAX];
  struct sigaction before;
  sem_t requests;
  pthread_t thread;
  bool ends; /* the thread is to end; written before a post */
} chosen;

/* ---- The thread ---- */

/* Several requests that came meanwhile are one. */
static bool wait_for_request(void) {
  while (sem_wait(&chosen.requests) != 0)
    continue;
  while (sem_trywait(&chosen.requests) == 0)
    continue;
  return !__atomic_load_n(&chosen.ends, __ATOMIC_ACQUIRE);
}

static void *run(void *unused) {
  struct spgc_error error;
  while (wait_for_request())
    if (spgc_snapshot_write(chosen.path, &error) != SPGC_OK)
      spgc_log("%s", error.message);
  return unused;
}

/* ---- The signal ---- */

static void post_request(int signal) {
  static const char lost[] =
      "spgc: no snapshot: this process was forked, and must call spgc_snapshot_on_signal itself\n";
  int before = errno;
  if (chosen.process == getpid())
    sem_post(&chosen.requests);
  else if (write(STDERR_FILENO, lost, sizeof lost - 1) < 0)
    errno = before;
  errno = before;
}

static void handle_signal(int signal) {
  struct sigaction action = {.sa_handler = post_request, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, &before);
  if (before.sa_handler != post_request)
    chosen.before = before;
}

static bool can_be_caught(int signal) {
  struct sigaction present;
  return sigaction(signal, NULL, &present) == 0 && signal != SIGKILL && signal != SIGSTOP;
}

static enum stage stage(void) {
  return chosen.process == getpid() ? chosen.stage : NONE;
}

/* The handler comes last, because a request needs the rest. */
static enum spgc_result choose(int signal, const char *path, struct spgc_error *error) {
  if (stage() != NONE)
    return spgc_error_set(
        error, SPGC_ERROR_STATE, 0, "spgc_snapshot_on_signal: signal %d %s", chosen.signal,
        stage() == CHOSEN ? "was chosen before" : "is being given back by another thread");
  if (!can_be_caught(signal))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_snapshot_on_signal: signal %d cannot be caught", signal);
  if (strlen(path) >= sizeof chosen.path)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_snapshot_on_signal: the path has more than %d bytes", PATH_MAX - 1);
  strcpy(chosen.path, path);
  chosen.ends = false;
  sem_init(&chosen.requests, 0, 0);
  int failure = spgc_collector_thread_start(&chosen.thread, "spgc-snapshot",
                                            SPGC_READER_STACK_BYTES, run, NULL);
  if (failure != 0)
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0,
                          "spgc_snapshot_on_signal: cannot start a thread: %s",
                          strerrordesc_np(failure));
  chosen.process = getpid();
  chosen.signal = signal;
  chosen.stage = CHOSEN;
  handle_signal(signal);
  return SPGC_OK;
}

/* ---- Give back ---- */

/* Returns whether the signal was chosen. */
static bool begin_end(int signal) {
  spgc_world_lock();
  bool is = stage() == CHOSEN && chosen.signal == signal;
  if (is) {
    sigaction(signal, &chosen.before, NULL);
    chosen.stage = ENDING;
  }
  spgc_world_unlock();
  return is;
}

/* The thread may be waiting for the world. So it is joined without the lock, and where the caller
 * counts as stopped. */
static void *end_thread(void *unused) {
  SPGC_UNCANCELLED;
  __atomic_store_n(&chosen.ends, true, __ATOMIC_RELEASE);
  sem_post(&chosen.requests);
  pthread_join(chosen.thread, NULL);
  return unused;
}

static void finish_end(void) {
  spgc_world_lock();
  chosen.stage = NONE;
  spgc_world_unlock();
}

static enum spgc_result give_back(int signal, struct spgc_error *error) {
  const char *forbids = spgc_any_thread_forbids_waiting();
  if (forbids != NULL)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "spgc_snapshot_on_signal: %s", forbids);
  if (!begin_end(signal))
    return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                          "spgc_snapshot_on_signal: signal %d was not chosen", signal);
  spgc_any_thread_call_blocking(end_thread, NULL);
  finish_end();
  return SPGC_OK;
}

enum spgc_result spgc_snapshot_on_signal(int signal, const char *path, struct spgc_error *error) {
  SPGC_UNCANCELLED;
  if (path == NULL)
    return give_back(signal, error);
  spgc_world_lock();
  enum spgc_result result = choose(signal, path, error);
  spgc_world_unlock();
  return result;
}
