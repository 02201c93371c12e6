/* Internal contradictions end the process in every build. */
#ifndef SPGC_SUPPORT_FATAL_H
#define SPGC_SUPPORT_FATAL_H

#include <stdarg.h>

#include "spgc/result.h"

/* Prints "spgc: fatal: FILE:LINE: condition: message" on standard error and aborts. Does not
 * allocate. */
_Noreturn void spgc_fatal_at(const char *file, int line, const char *condition, const char *format,
                             ...) __attribute__((format(printf, 4, 5), cold));

#define spgc_require(condition, ...)                                                               \
  ((condition) ? (void)0 : spgc_fatal_at(__FILE__, __LINE__, #condition, __VA_ARGS__))

/* In a public function: the message begins with its name. */
#define spgc_require_use(condition, format, ...)                                                   \
  spgc_require(condition, "%s: " format, __func__, ##__VA_ARGS__)

#define spgc_fatal(...) spgc_fatal_at(__FILE__, __LINE__, "unreachable", __VA_ARGS__)

/* Returns `code`, for one `return spgc_error_set(...)`. `error` may be NULL. */
enum spgc_result spgc_error_set(struct spgc_error *error, enum spgc_result code, uint64_t position,
                                const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));

#endif
