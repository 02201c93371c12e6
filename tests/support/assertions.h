/* Include this instead of <check.h>, whose assertions make a system call when they pass. */
#ifndef SPGC_TESTS_ASSERTIONS_H
#define SPGC_TESTS_ASSERTIONS_H

#include <check.h>

#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                   \
  ((expr) ? (void)0                                                                                \
          : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__))

#endif
