/* Runtime errors are raised as exceptions with an error object (error_object.h). An error that
 * nothing catches is shown on standard error as its message and a stack trace, and ends the run
 * with LOX_EXIT_RUNTIME_ERROR. */
#ifndef LOX_RUNTIME_ERROR_H
#define LOX_RUNTIME_ERROR_H

#include <stdint.h>

#include "frontend-demo/runtime/abi.h"

_Noreturn void lox_error(const char *format, ...) __attribute__((format(printf, 1, 2), cold));
_Noreturn void lox_error_out_of_memory(void) __attribute__((cold));
_Noreturn void lox_error_undefined_property(const char *name) __attribute__((cold));
_Noreturn void lox_error_argument_count(uint64_t expected, uint64_t got) __attribute__((cold));

#endif
