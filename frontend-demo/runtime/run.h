/* Units run one after another, on a thread with a large stack. */
#ifndef LOX_RUNTIME_RUN_H
#define LOX_RUNTIME_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "frontend-demo/runtime/abi.h"
#include "spgc/code_name.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/result.h"

enum {
  LOX_EXIT_USAGE = 64, /* the command line, or the environment */
  LOX_EXIT_RUNTIME_ERROR = 70,
  LOX_EXIT_SYSTEM = 71,
  LOX_EXIT_IO = 74,
};

struct lox_runtime_options {
  const struct spgc_options *heap;
  int argument_count; /* for args() */
  char *const *arguments;
  bool is_interruptible; /* SIGINT ends the run, with "Interrupted." and a trace, not the process */
  bool gc_statistics;    /* summary when the runtime stops; also with LOX_GC_STATS=1 in the
                          * environment */
};

/* Errors as spgc_start; SPGC_ERROR_NO_MEMORY without room for the stack. */
enum spgc_result lox_runtime_start(const struct lox_runtime_options *options,
                                   struct spgc_error *error);

/* Returns 0, or LOX_EXIT_RUNTIME_ERROR after a reported error. */
int lox_run_unit(const struct lox_unit *unit);

/* Runs `body` like a unit, in its own handle scope. Returns its result, or LOX_EXIT_RUNTIME_ERROR
 * after a reported error. */
int lox_run(int (*body)(void *context), void *context);

/* Without an error, first calls the functions given to on_collect (runtime/native.h). Returns
 * `status`; instead of 0, LOX_EXIT_RUNTIME_ERROR if those calls failed, or LOX_EXIT_IO if output
 * was lost. */
int lox_runtime_stop(int status);

/* ---- For the runtime itself ---- */

enum spgc_result lox_run_open(const struct lox_runtime_options *options, struct spgc_error *error);
void lox_run_close(void);
void lox_run_report_lost_output(int error);

_Noreturn void lox_run_abandon(int status);

/* Reports the errno value and ends the run. */
_Noreturn void lox_run_cannot_print(int error);

void lox_run_flush(void);

/* Stack walks of the run must reach this frame. */
void *lox_run_stack_base(void);

/* Nil without one. Not safepoints. */
struct spgc_ref lox_run_in_flight(void);
void lox_run_set_in_flight(struct spgc_ref exception);

/* In the frame of C code that calls Lox. Exceptions may leave the frame without unregistering
 * it. */
struct lox_entry {
  struct spgc_scope scope; /* the scope at that time: Lox code opens none */
  struct lox_entry *outer;
};

void lox_run_enter(struct lox_entry *entry);
void lox_run_leave(struct lox_entry *entry);

/* Closes the scopes of frames that were left: those below `stack`, an address in the frame that
 * continues or in one that it called. */
void lox_run_close_scopes(const void *stack);

/* Statistics (statistics.c): taken on an attached thread, printed on any. */
void lox_statistics_take(void);
void lox_statistics_print(FILE *file);

/* At most LOX_CALL_ARGUMENTS_MAX arguments, not read once the callee runs. An exception leaves the
 * caller and closes its scopes. A safepoint. */
struct spgc_ref lox_call(struct spgc_ref callee, const struct spgc_ref *arguments, uint64_t count);

enum { LOX_CALL_ARGUMENTS_MAX = 8 };

/* unit.c. The unit stays until the process ends. */
void lox_unit_remember(const struct lox_unit *unit);

/* `top_level` becomes true for a unit's script. */
const char *lox_unit_function_name(uint64_t function, bool *top_level);

/* Of a call (spgc/code_name.h). */
bool lox_unit_find_source(void *context, uintptr_t instruction, uint64_t statepoint_id,
                          struct spgc_source_place *place);

const struct lox_runtime_options *lox_runtime_options(void);

#endif
