#ifndef SPGC_TESTS_SUITE_H
#define SPGC_TESTS_SUITE_H

#include <stdlib.h>

#include "tests/support/assertions.h"

static inline int suite_run(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
