/* Writes a file on a signal. The handler may run anywhere, so it only posts a semaphore; a thread
 * of the library writes the file, even if the program's threads are busy. */
#ifndef SPGC_OBSERVE_SIGNAL_REQUEST_H
#define SPGC_OBSERVE_SIGNAL_REQUEST_H

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "spgc/result.h"

enum spgc_signal_stage {
  SPGC_SIGNAL_NONE,
  SPGC_SIGNAL_CHOSEN,
  SPGC_SIGNAL_ENDING, /* a thread waits for the writing one */
};

/* Under the world's lock. Path, semaphore, thread and `ends` are for the writing thread, and change
 * only in stage NONE. A forked child inherits all but the thread; `process` says whose stage it
 * is. */
struct spgc_signal_request {
  enum spgc_result (*write)(const char *path, struct spgc_error *error); /* constant */
  const char *thread_name;                                               /* constant */
  const char *lost; /* the message if a forked child without the request gets the signal;
                     * constant */
  enum spgc_signal_stage stage;
  int signal;
  _Atomic pid_t process; /* the one that chose the signal. Read by the handler */
  char path[PATH_MAX];
  struct sigaction before;
  sem_t posts;
  pthread_t thread;
  bool ends; /* written before a post */
  bool serves_children;
};

/* Whether the signal can be caught and is not sent by a fault. */
bool spgc_signal_can_ask(int signal);

bool spgc_signal_has_handler(int signal);

/* Even if the signal has a handler. `call` begins messages. Errors as for
 * spgc_snapshot_on_signal. */
enum spgc_result spgc_signal_request_choose(struct spgc_signal_request *request, int signal,
                                            const char *path, const char *call,
                                            struct spgc_error *error);

/* Children forked later also serve the signal, with their own threads and files, unless the path is
 * the same in each process. */
void spgc_signal_request_serve_children(struct spgc_signal_request *request);

/* Restores the former handler, and waits for a file being written, in a blocking region if the
 * thread is attached. */
enum spgc_result spgc_signal_request_give_back(struct spgc_signal_request *request, int signal,
                                               const char *call, struct spgc_error *error);

#endif
