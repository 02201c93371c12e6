#include "frontend-demo/runtime/exception.h"

#include <stddef.h>
#include <unwind.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/interrupt.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/print.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "spgc/allocate.h"
#include "spgc/exception.h"
#include "support/fatal.h"

_Static_assert(offsetof(struct lox_exception, value) == LOX_EXCEPTION_VALUE, "exception layout");

static const char *const exception_names[] = {"value", "trace"};

static const struct lox_type exception_type =
    LOX_TYPE(LOX_OBJECT_EXCEPTION, exception_names, .size = sizeof(struct lox_exception),
             .flags = SPGC_TYPE_VALUES, .name = "exception");

static struct lox_exception *as_exception(struct spgc_ref object) {
  return spgc_ref_memory(object);
}

struct spgc_ref lox_exception_make(struct spgc_handle value, struct spgc_handle trace) {
  struct spgc_ref exception = lox_allocate(&exception_type);
  spgc_store(spgc_slot_at(&as_exception(exception)->value), spgc_handle_get(value));
  spgc_store(spgc_slot_at(&as_exception(exception)->trace), spgc_handle_get(trace));
  return exception;
}

static void write_lines(struct lox_writer *writer, struct spgc_ref lines) {
  if (lox_is_string(lines) && lox_string_length(lines) == 0)
    return;
  lox_write_value(writer, lines);
  lox_write_text(writer, "\n");
}

/* True if it had its own trace, which was written. */
static bool report_value(struct lox_writer *writer, struct spgc_ref value) {
  fflush(stdout);
  if (!lox_is_error(value))
    lox_write_text(writer, "Uncaught ");
  lox_write_value(writer, value);
  lox_write_text(writer, "\n");
  if (lox_is_error(value))
    write_lines(writer, lox_error_trace(value));
  return lox_is_error(value);
}

static void report(const struct lox_exception *exception) {
  struct lox_writer writer = {.file = stderr};
  if (!report_value(&writer, exception->value))
    write_lines(&writer, exception->trace);
}

_Noreturn void lox_exception_end_run(void) {
  struct lox_writer writer = {.file = stderr};
  if (lox_trace_write(&writer))
    lox_write_text(&writer, "\n");
  lox_run_abandon(LOX_EXIT_RUNTIME_ERROR);
}

void lox_exception_heed_interrupt(void) {
  if (!lox_interrupts_take())
    return;
  fflush(stdout);
  fputs("Interrupted.\n", stderr);
  lox_exception_end_run();
}

bool lox_exception_may_be_caught(void) {
  return spgc_unwind_outlook(lox_run_stack_base()) != SPGC_UNWIND_NO_LANDING_PAD;
}

/* Natives written in C++ must be unwound by the rules of C++. */
static void find_landing_pad(void) {
  static struct _Unwind_Exception header;
  enum spgc_unwinding outcome = spgc_unwind(lox_run_stack_base(), &header);
  if (outcome == SPGC_UNWIND_FOREIGN_FRAME)
    _Unwind_RaiseException(&header);
}

_Noreturn void lox_exception_raise(struct spgc_ref exception) {
  lox_run_set_in_flight(exception);
  find_landing_pad();
  report(as_exception(lox_run_in_flight()));
  lox_run_abandon(LOX_EXIT_RUNTIME_ERROR);
}

struct spgc_ref lox_catch(void) {
  struct spgc_ref exception = lox_run_in_flight();
  lox_run_set_in_flight(lox_nil());
  lox_run_close_scopes(__builtin_frame_address(0));
  return exception;
}

static _Noreturn void end_run_with(struct spgc_ref value) {
  struct lox_writer writer = {.file = stderr};
  if (report_value(&writer, value))
    lox_run_abandon(LOX_EXIT_RUNTIME_ERROR);
  lox_exception_end_run();
}

/* An error keeps its own trace, however often it is thrown. */
_Noreturn void lox_throw(struct spgc_ref value) {
  if (!lox_exception_may_be_caught())
    end_run_with(value);
  struct spgc_handle kept = spgc_handle_make(value);
  struct spgc_ref trace = lox_is_error(value) ? lox_nil() : lox_trace_make();
  lox_exception_raise(lox_exception_make(kept, spgc_handle_make(trace)));
}

_Noreturn void lox_throw_again(struct spgc_ref exception) {
  lox_exception_raise(exception);
}
