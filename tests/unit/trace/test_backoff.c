#include "support/backoff.h"

#include "tests/support/check_main.h"

enum { LONGEST = 8 };

static void expect_delays(struct spgc_backoff backoff, const uint32_t *expected, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    spgc_backoff_fail(&backoff);
    for (uint32_t passed = 0; passed < expected[i]; passed++) {
      ck_assert(spgc_backoff_is_waiting(&backoff));
      spgc_backoff_pass(&backoff);
    }
    ck_assert(!spgc_backoff_is_waiting(&backoff));
  }
}

START_TEST(delays_double_up_to_the_maximum) {
  static const uint32_t offers[LONGEST] = {1, 2, 4, 8, 16, 32, 64, 64};
  static const uint32_t markings[LONGEST] = {1, 3, 7, 15, 31, 63, 32, 32};
  expect_delays(spgc_backoff_create(1, 0, 64), offers, LONGEST);
  expect_delays(spgc_backoff_create(1, 1, 32), markings, LONGEST);
}
END_TEST

START_TEST(a_success_shortens_the_next_delay_but_not_the_running_one) {
  struct spgc_backoff backoff = spgc_backoff_create(1, 0, 64);
  spgc_backoff_fail(&backoff);
  spgc_backoff_fail(&backoff);
  spgc_backoff_succeed(&backoff);
  ck_assert_uint_eq(backoff.waiting, 2);
  spgc_backoff_fail(&backoff);
  ck_assert_uint_eq(backoff.waiting, 1);
}
END_TEST

CHECK_MAIN("backoff", delays_double_up_to_the_maximum,
           a_success_shortens_the_next_delay_but_not_the_running_one)
