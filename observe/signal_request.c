#include "observe/signal_request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "gc/inspect.h"
#include "support/cancellation.h"
#include "support/collector_thread.h"
#include "support/fatal.h"
#include "support/file_name.h"
#include "support/log.h"

/* By signal. Written under the world's lock, read by the handler. */
static _Atomic(struct spgc_signal_request *) requests[NSIG];

/* Several posts count as one. */
static bool wait_for_post(struct spgc_signal_request *request) {
  while (sem_wait(&request->posts) != 0)
    continue;
  while (sem_trywait(&request->posts) == 0)
    continue;
  return !__atomic_load_n(&request->ends, __ATOMIC_ACQUIRE);
}

static void *run(void *context) {
  struct spgc_signal_request *request = context;
  struct spgc_error error;
  while (wait_for_post(request))
    if (request->write(request->path, &error) != SPGC_OK)
      spgc_log("%s", error.message);
  return NULL;
}

static void post(int signal) {
  int before = errno;
  struct spgc_signal_request *request = requests[signal];
  if (request != NULL && request->process == getpid())
    sem_post(&request->posts);
  else if (request != NULL && write(STDERR_FILENO, request->lost, strlen(request->lost)) < 0)
    errno = before;
  errno = before;
}

static void handle_signal(struct spgc_signal_request *request, int signal) {
  struct sigaction action = {.sa_handler = post, .sa_flags = SA_RESTART}, before;
  sigemptyset(&action.sa_mask);
  requests[signal] = request;
  sigaction(signal, &action, &before);
  if (before.sa_handler != post)
    request->before = before;
}

bool spgc_signal_can_ask(int signal) {
  static const int faults[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE,
                               SIGILL,  SIGTRAP, SIGABRT, SIGSYS};
  struct sigaction present;
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (signal == faults[i])
      return false;
  return sigaction(signal, NULL, &present) == 0;
}

bool spgc_signal_has_handler(int signal) {
  struct sigaction present;
  return sigaction(signal, NULL, &present) == 0 && present.sa_handler != SIG_DFL &&
         present.sa_handler != SIG_IGN;
}

static enum spgc_signal_stage stage_of(const struct spgc_signal_request *request) {
  return request->process == getpid() ? request->stage : SPGC_SIGNAL_NONE;
}

static enum spgc_result check(const struct spgc_signal_request *request, int signal,
                              const char *path, const char *call, struct spgc_error *error) {
  if (stage_of(request) != SPGC_SIGNAL_NONE)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "%s: signal %d %s", call, request->signal,
                          stage_of(request) == SPGC_SIGNAL_CHOSEN
                              ? "was chosen before"
                              : "is being restored by another thread");
  if (!spgc_signal_can_ask(signal))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "%s: signal %d cannot be caught, or means a fault", call, signal);
  const struct spgc_signal_request *other = requests[signal];
  if (other != NULL && other != request && stage_of(other) != SPGC_SIGNAL_NONE)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                          "%s: signal %d was chosen for another file, %.300s", call, signal,
                          other->path);
  if (strlen(path) >= sizeof request->path)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "%s: the path has more than %d bytes", call, PATH_MAX - 1);
  return SPGC_OK;
}

/* The handler is set last, because a post needs the rest. */
static enum spgc_result choose(struct spgc_signal_request *request, int signal, const char *path,
                               const char *call, struct spgc_error *error) {
  enum spgc_result result = check(request, signal, path, call, error);
  if (result != SPGC_OK)
    return result;
  strcpy(request->path, path);
  request->ends = request->serves_children = false;
  sem_init(&request->posts, 0, 0);
  int failure = spgc_collector_thread_start(&request->thread, request->thread_name,
                                            SPGC_READER_STACK_BYTES, run, request);
  if (failure != 0)
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0, "%s: cannot start a thread: %s", call,
                          strerrordesc_np(failure));
  request->process = getpid();
  request->signal = signal;
  request->stage = SPGC_SIGNAL_CHOSEN;
  handle_signal(request, signal);
  return SPGC_OK;
}

enum spgc_result spgc_signal_request_choose(struct spgc_signal_request *request, int signal,
                                            const char *path, const char *call,
                                            struct spgc_error *error) {
  SPGC_UNCANCELLED;
  spgc_lock(SPGC_LOCK_WORLD);
  enum spgc_result result = choose(request, signal, path, call, error);
  spgc_unlock(SPGC_LOCK_WORLD);
  return result;
}

/* pthread_atfork's handler in the child, where the collector's have run: they were registered
 * before. */
static void renew_requests(void) {
  for (int signal = 1; signal < NSIG; signal++) {
    struct spgc_signal_request *request = requests[signal];
    struct spgc_error error;
    char path[PATH_MAX];
    if (request == NULL || !request->serves_children || request->stage != SPGC_SIGNAL_CHOSEN)
      continue;
    strcpy(path, request->path);
    if (spgc_signal_request_choose(request, signal, path, "a forked process", &error) != SPGC_OK)
      spgc_log("%s", error.message);
    else
      request->serves_children = true;
  }
}

static void register_renewal(void) {
  if (pthread_atfork(NULL, NULL, renew_requests) != 0)
    spgc_log("forked processes do not serve signals: out of memory");
}

void spgc_signal_request_serve_children(struct spgc_signal_request *request) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!spgc_file_name_has_process(request->path))
    return;
  pthread_once(&once, register_renewal);
  request->serves_children = true;
}

/* A handler that the program set later stays. */
static void restore(const struct spgc_signal_request *request, int signal) {
  struct sigaction present;
  if (sigaction(signal, NULL, &present) == 0 && present.sa_handler == post)
    sigaction(signal, &request->before, NULL);
}

static bool begin_end(struct spgc_signal_request *request, int signal) {
  spgc_lock(SPGC_LOCK_WORLD);
  bool is = stage_of(request) == SPGC_SIGNAL_CHOSEN && request->signal == signal;
  if (is) {
    restore(request, signal);
    requests[signal] = NULL;
    request->stage = SPGC_SIGNAL_ENDING;
  }
  spgc_unlock(SPGC_LOCK_WORLD);
  return is;
}

/* The thread may wait for the world, so it is joined without the lock. */
static void *end_thread(void *context) {
  struct spgc_signal_request *request = context;
  SPGC_UNCANCELLED;
  __atomic_store_n(&request->ends, true, __ATOMIC_RELEASE);
  sem_post(&request->posts);
  pthread_join(request->thread, NULL);
  return NULL;
}

static void finish_end(struct spgc_signal_request *request) {
  spgc_lock(SPGC_LOCK_WORLD);
  request->stage = SPGC_SIGNAL_NONE;
  spgc_unlock(SPGC_LOCK_WORLD);
}

enum spgc_result spgc_signal_request_give_back(struct spgc_signal_request *request, int signal,
                                               const char *call, struct spgc_error *error) {
  SPGC_UNCANCELLED;
  const char *forbids = spgc_any_thread_forbids_waiting();
  if (forbids != NULL)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "%s: %s", call, forbids);
  if (!begin_end(request, signal))
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "%s: signal %d was not chosen", call, signal);
  spgc_any_thread_call_blocking(end_thread, request);
  finish_end(request);
  return SPGC_OK;
}
