#include "frontend-demo/runtime/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "frontend-demo/runtime/exception.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "frontend-demo/runtime/symbol.h"
#include "frontend-demo/runtime/value.h"

/* Making the error needs memory. Written by the thread that runs Lox. */
static bool is_making_out_of_memory;

/* Nothing catches the error, or no memory is left for it. */
static _Noreturn void end_without_memory(void) {
  fflush(stdout);
  fputs("Out of memory.\n", stderr);
  is_making_out_of_memory = false;
  lox_exception_end_run();
}

static _Noreturn void raise_error(struct spgc_ref message) {
  struct spgc_handle kept = spgc_handle_make(message);
  struct spgc_handle trace = spgc_handle_make(lox_trace_make());
  struct spgc_handle error = spgc_handle_make(lox_error_object_make(kept, trace));
  if (spgc_ref_is_null(spgc_handle_get(error)))
    end_without_memory();
  struct spgc_ref exception = lox_exception_make(error, trace);
  is_making_out_of_memory = false;
  lox_exception_raise(exception);
}

static _Noreturn void end_run_with(const char *format, va_list arguments) {
  fflush(stdout);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  lox_exception_end_run();
}

_Noreturn void lox_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (!lox_exception_may_be_caught())
    end_run_with(format, arguments);
  char *text;
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0)
    lox_error_out_of_memory();
  struct spgc_ref message = lox_string_make(text, (uint64_t)length);
  free(text);
  raise_error(message);
}

_Noreturn void lox_error_out_of_memory(void) {
  static const char text[] = "Out of memory.";
  if (is_making_out_of_memory || !lox_exception_may_be_caught())
    end_without_memory();
  is_making_out_of_memory = true;
  raise_error(lox_string_make(text, sizeof text - 1));
}

/* Also called for an interrupt, which moves the stack limit. */
_Noreturn void lox_error_stack_overflow(void) {
  lox_exception_heed_interrupt();
  lox_error("Stack overflow.");
}

_Noreturn void lox_error_operands_numbers(void) {
  lox_error("Operands must be numbers.");
}

_Noreturn void lox_error_operand_number(void) {
  lox_error("Operand must be a number.");
}

_Noreturn void lox_error_undefined_variable(const struct lox_name_literal *name) {
  lox_error("Undefined variable '%.*s'.", (int)name->length, name->text);
}

_Noreturn void lox_error_undefined_property(const char *name) {
  lox_error("Undefined property '%s'.", name);
}

_Noreturn void lox_error_argument_count(uint64_t expected, uint64_t got) {
  lox_error("Expected %" PRIu64 " arguments but got %" PRIu64 ".", expected, got);
}

_Noreturn void lox_error_call(struct spgc_ref callee, uint64_t argument_count) {
  if (!lox_is_object(callee) || lox_type_of(callee)->call_key == LOX_NOT_CALLABLE)
    lox_error("Can only call functions and classes.");
  lox_error_argument_count(lox_type_of(callee)->call_key, argument_count);
}
