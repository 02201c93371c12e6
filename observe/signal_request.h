/* A file that is written whenever the process gets a signal.
 *
 * The signal's handler only posts, because it may run anywhere. A thread of the library waits for
 * that and writes the file, so all threads of the program may be busy or blocked.
 */
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
  SPGC_SIGNAL_ENDING, /* the signal is given back, and the thread that does that waits for the
                         request's */
};

/* Under the world's lock. Path, semaphore, thread and `ends` belong to the request's thread while
 * there is one: they change only in the stage NONE. A forked child inherits all but the thread, so
 * that the stage is that of the process that has chosen. */
struct spgc_signal_request {
  enum spgc_result (*write)(const char *path, struct spgc_error *error); /* constant */
  const char *thread_name;                                               /* constant */
  const char *lost; /* a line for a forked child that gets the signal; constant */
  enum spgc_signal_stage stage;
  int signal;
  _Atomic pid_t process; /* that has chosen it. The handler reads it on any thread */
  char path[PATH_MAX];
  struct sigaction before;
  sem_t posts;
  pthread_t thread;
  bool ends;            /* the thread is to end; written before a post */
  bool serves_children; /* a forked child goes on with the request */
};

/* Whether a program can be asked by the signal: it can be caught, and no fault of the program sends
 * it. */
bool spgc_signal_can_ask(int signal);

/* Whether the program handles the signal itself. */
bool spgc_signal_has_handler(int signal);

/* Takes the signal, whoever handles it. `call` begins messages. Errors: as
 * spgc_snapshot_on_signal. */
enum spgc_result spgc_signal_request_choose(struct spgc_signal_request *request, int signal,
                                            const char *path, const char *call,
                                            struct spgc_error *error);

/* Lets the children that the process forks from here on serve the signal, too, each with a thread
 * and a file of its own. Nothing happens if the path is the same in each process. */
void spgc_signal_request_serve_children(struct spgc_signal_request *request);

/* Gives the signal back its former handler, and waits until a file that is being written is
 * complete; for an attached thread that is a blocking region. */
enum spgc_result spgc_signal_request_give_back(struct spgc_signal_request *request, int signal,
                                               const char *call, struct spgc_error *error);

#endif
