/* Assertions that make system calls only if they fail; Check's write to a pipe when they pass.
 * Tests include this instead of <check.h>. */
#ifndef SPGC_TESTS_ASSERTIONS_H
#define SPGC_TESTS_ASSERTIONS_H

#include <check.h>

#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                                                   \
  ((expr) ? (void)0                                                                                \
          : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__))

#endif
