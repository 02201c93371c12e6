#include "support/backoff.h"

#include "tests/support/check_main.h"

enum { LONGEST = 256 };

START_TEST(delays_double) {
  struct spgc_backoff backoff = {0};
  for (uint32_t expected = 1; expected <= LONGEST; expected *= 2) {
    spgc_backoff_fail(&backoff);
    for (uint32_t passed = 0; passed < expected; passed++) {
      ck_assert(spgc_backoff_is_waiting(&backoff));
      spgc_backoff_pass(&backoff);
    }
    ck_assert(!spgc_backoff_is_waiting(&backoff));
  }
}
END_TEST

START_TEST(a_success_shortens_the_next_delay_but_not_the_running_one) {
  struct spgc_backoff backoff = {0};
  spgc_backoff_fail(&backoff);
  spgc_backoff_fail(&backoff);
  spgc_backoff_succeed(&backoff);
  ck_assert_uint_eq(backoff.waiting, 2);
  spgc_backoff_fail(&backoff);
  ck_assert_uint_eq(backoff.waiting, 1);
}
END_TEST

CHECK_MAIN("backoff", delays_double, a_success_shortens_the_next_delay_but_not_the_running_one)
