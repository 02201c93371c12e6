#include "frontend-demo/runtime/interrupt.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "frontend-demo/runtime/exception.h"
#include "spgc/thread.h"

/* `thread` is written before is_running becomes true. The thread that runs Lox writes both; it or
 * its handler writes is_asked. */
static pthread_t thread;
static atomic_bool is_running, is_asked;

/* Written by the thread that accepts and refuses, while no run is in progress. */
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

static void set_handler(int flags) {
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, is_accepted ? NULL : &before);
}

void lox_interrupts_accept(void) {
  spgc_set_interrupt_hook(lox_interrupts_check);
  set_handler(SA_RESTART);
  is_accepted = true;
}

void lox_interrupts_refuse(void) {
  if (!is_accepted)
    return;
  sigaction(SIGINT, &before, NULL);
  spgc_set_interrupt_hook(NULL);
  is_accepted = false;
}

void lox_interrupts_begin_run(void) {
  thread = pthread_self();
  atomic_store(&is_asked, false);
  atomic_store(&is_running, true);
}

void lox_interrupts_end_run(void) {
  atomic_store(&is_running, false);
}

void lox_interrupts_check(void) {
  if (!atomic_exchange(&is_asked, false))
    return;
  fflush(stdout);
  fputs("Interrupted.\n", stderr);
  lox_exception_end_run();
}

void lox_interrupts_begin_wait(void) {
  if (is_accepted)
    set_handler(0);
}

void lox_interrupts_end_wait(void) {
  if (is_accepted)
    set_handler(SA_RESTART);
  lox_interrupts_check();
}
