#include "frontend-demo/runtime/run.h"

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "frontend-demo/runtime/interrupt.h"
#include "frontend-demo/runtime/stack.h"
#include "frontend-demo/runtime/value.h"
#include "spgc/handle.h"
#include "spgc/protect.h"
#include "spgc/thread.h"
#include "support/fatal.h"
#include "support/standard_streams.h"

struct run {
  int (*body)(void *context);
  void *context;
  int status;
  void *stack_base; /* for Lox's own walks */
  /* Written when an entry begins or is left; never NULL. */
  struct lox_entry *entry;
  struct spgc_protection *protection; /* around the body */
};

/* Written by the thread that starts and stops the runtime, between runs; a run writes `current`. */
static struct {
  struct lox_runtime_options options;
  struct lox_stack stack;
  struct run *current;
  struct spgc_handle in_flight; /* made at the start, written by the run */
} runtime;

const struct lox_runtime_options *lox_runtime_options(void) {
  return &runtime.options;
}

enum spgc_result lox_run_open(const struct lox_runtime_options *options, struct spgc_error *error) {
  enum spgc_result result = lox_stack_reserve(&runtime.stack, error);
  if (result != SPGC_OK)
    return result;
  result = spgc_start(options->heap, error);
  if (result != SPGC_OK) {
    lox_stack_release(&runtime.stack);
    return result;
  }
  runtime.in_flight = spgc_global_handle_make(lox_nil());
  if (runtime.in_flight.slot == NULL) {
    spgc_stop();
    lox_stack_release(&runtime.stack);
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "out of memory");
  }
  runtime.options = *options;
  return SPGC_OK;
}

void lox_run_close(void) {
  spgc_global_handle_release(runtime.in_flight);
  spgc_stop();
  lox_stack_release(&runtime.stack);
}

void *lox_run_stack_base(void) {
  spgc_require(runtime.current != NULL, "no Lox code is running");
  return runtime.current->stack_base;
}

_Noreturn void lox_run_abandon(int status) {
  spgc_require(runtime.current != NULL, "no Lox code is running");
  runtime.current->status = status;
  spgc_leave(runtime.current->protection, NULL);
}

void lox_run_report_lost_output(int error) {
  fprintf(stderr, "lox: cannot write to standard output: %s\n", strerror(error));
}

/* Otherwise the program might print for ever without a reader. Buffered text is lost. */
_Noreturn void lox_run_cannot_print(int error) {
  lox_run_report_lost_output(error);
  lox_run_abandon(LOX_EXIT_IO);
}

void lox_run_flush(void) {
  int error = spgc_stdout_finish();
  if (error != 0)
    lox_run_cannot_print(error);
}

struct spgc_ref lox_run_in_flight(void) {
  spgc_require(runtime.current != NULL, "no Lox code is running");
  return spgc_handle_get(runtime.in_flight);
}

void lox_run_set_in_flight(struct spgc_ref exception) {
  spgc_require(runtime.current != NULL, "no Lox code is running");
  spgc_handle_set(runtime.in_flight, exception);
}

void lox_run_enter(struct lox_entry *entry) {
  *entry = (struct lox_entry){spgc_scope_open(), runtime.current->entry};
  runtime.current->entry = entry;
}

void lox_run_leave(struct lox_entry *entry) {
  runtime.current->entry = entry->outer;
}

void lox_run_close_scopes(const void *stack) {
  struct lox_entry *entry = runtime.current->entry;
  while ((const void *)entry < stack)
    entry = entry->outer;
  runtime.current->entry = entry;
  spgc_scope_close(entry->scope);
}

/* Lox's walks end here: all generated frames are inner ones. */
static void *run_protected(void *argument) {
  struct run *run = argument;
  run->stack_base = __builtin_frame_address(0);
  run->protection = spgc_protection();
  run->status = run->body(run->context);
  return NULL;
}

/* An uncaught error ends here, even across generated frames. */
static void run_body(struct run *run) {
  struct spgc_scope scope = spgc_scope_open();
  struct lox_entry entry;
  run->entry = NULL;
  lox_run_enter(&entry);
  spgc_protect(run_protected, run, NULL);
  spgc_scope_close(scope);
}

/* Numbers are written and read in the C locale. */
static void *run_thread(void *argument) {
  struct run *run = argument;
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale != (locale_t)0)
    uselocale(c_locale);
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK) {
    fprintf(stderr, "lox: cannot attach to the collector: %s\n", error.message);
    run->status = LOX_EXIT_SYSTEM;
    return NULL;
  }
  spgc_thread.stack_limit = lox_stack_limit(&runtime.stack);
  runtime.current = run;
  lox_interrupts_begin_run();
  run_body(run);
  lox_interrupts_end_run();
  runtime.current = NULL;
  lox_statistics_take();
  spgc_thread_detach();
  return NULL;
}

int lox_run(int (*body)(void *context), void *context) {
  struct run run = {.body = body, .context = context};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, runtime.stack.start, runtime.stack.size);
  int failure = pthread_create(&thread, &attributes, run_thread, &run);
  pthread_attr_destroy(&attributes);
  if (failure != 0) {
    fprintf(stderr, "lox: cannot start a thread: %s\n", strerror(failure));
    return LOX_EXIT_SYSTEM;
  }
  pthread_join(thread, NULL);
  return run.status;
}
