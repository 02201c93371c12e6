/* A case and a process per test, tagged with its name for CK_EXCLUDE_TAGS. */
#ifndef TESTS_SUPPORT_CHECK_MAIN_H
#define TESTS_SUPPORT_CHECK_MAIN_H

#include <stddef.h>

#include "tests/support/suite.h"

static inline int check_main_run(const char *name, const TTest *const *tests, size_t count,
                                 double seconds) {
  Suite *suite = suite_create(name);
  for (size_t i = 0; i < count; i++) {
    TCase *tcase = tcase_create(name);
    tcase_set_tags(tcase, tests[i]->name);
    tcase_set_timeout(tcase, seconds);
    tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
  }
  return suite_run(suite);
}

#define CHECK_MAIN_WITHIN(seconds, name, ...)                                                      \
  int main(void) {                                                                                 \
    const TTest *const tests[] = {__VA_ARGS__};                                                    \
    return check_main_run(name, tests, sizeof tests / sizeof tests[0], seconds);                   \
  }

#define CHECK_MAIN(name, ...) CHECK_MAIN_WITHIN(30, name, __VA_ARGS__)

#endif
