#include "frontend-demo/runtime/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "spgc/thread.h"

/* `thread` is written before is_running becomes true. The thread that runs Lox writes both; it or
 * its handler writes is_asked. */
static pthread_t thread;
static atomic_bool is_running, is_asked;

/* Written by the thread that accepts and refuses, between runs. */
static bool is_accepted;
static struct sigaction before;

static void interrupt(int signal) {
  int error = errno;
  if (atomic_load(&is_running)) {
    if (pthread_equal(thread, pthread_self())) {
      atomic_store(&is_asked, true);
      spgc_thread.stack_limit = UINTPTR_MAX;
      spgc_thread_interrupt();
    } else {
      pthread_kill(thread, signal);
    }
  }
  errno = error;
}

void lox_interrupts_accept(spgc_interrupt_hook hook) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  spgc_set_interrupt_hook(hook, NULL);
  sigaction(SIGINT, &action, &before);
  is_accepted = true;
}

void lox_interrupts_refuse(void) {
  if (!is_accepted)
    return;
  sigaction(SIGINT, &before, NULL);
  spgc_set_interrupt_hook(NULL, NULL);
  is_accepted = false;
}

void lox_interrupts_begin_run(void) {
  thread = pthread_self();
  atomic_store(&is_asked, false);
  atomic_store(&is_running, true);
}

void lox_interrupts_end_run(void) {
  atomic_store(&is_running, false);
  atomic_store(&is_asked, false);
}

bool lox_interrupts_take(void) {
  return atomic_exchange(&is_asked, false);
}

/* False if SIGINT asks to end the run. The signal is blocked except during ppoll, so none is missed
 * before the wait. */
static bool wait_for(int descriptor) {
  struct pollfd waited = {.fd = descriptor, .events = POLLIN};
  sigset_t blocked, outside;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  pthread_sigmask(SIG_BLOCK, &blocked, &outside);
  int ready = 0;
  while (ready == 0 && !atomic_load(&is_asked)) {
    ready = ppoll(&waited, 1, NULL, &outside);
    if (ready < 0 && errno == EINTR)
      ready = 0;
  }
  bool is_interrupted = atomic_load(&is_asked);
  pthread_sigmask(SIG_SETMASK, &outside, NULL);
  return !is_interrupted;
}

static ssize_t read_some(void *cookie, char *bytes, size_t size) {
  if (wait_for(STDIN_FILENO))
    return read(STDIN_FILENO, bytes, size);
  errno = EINTR;
  return -1;
}

FILE *lox_input(void) {
  static FILE *input;
  if (input == NULL)
    input = fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_some});
  return input;
}
