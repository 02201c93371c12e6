#include "frontend-demo/runtime/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/symbol.h"
#include "frontend-demo/runtime/trace.h"
#include "frontend-demo/runtime/value.h"

/* What was printed before the error comes out before it. */
_Noreturn void lox_error(const char *format, ...) {
  fflush(stdout);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  lox_trace_print(stderr);
  lox_run_abandon(LOX_EXIT_RUNTIME_ERROR);
}

_Noreturn void lox_error_out_of_memory(void) {
  lox_error("Out of memory.");
}

_Noreturn void lox_error_stack_overflow(void) {
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
