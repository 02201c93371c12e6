#include <stdlib.h>

#include "stackwalk/frame_end.h"
#include "stackwalk/machine_frame.h"
#include "tests/support/suite.h"

static void *frame_address, *end;

/* With 4000 bytes of variables above its frame record, or below. */
__attribute__((noinline)) static uintptr_t with_variables(volatile char *caller_variable) {
  volatile char variables[4000];
  variables[0] = 0;
  frame_address = __builtin_frame_address(0);
  end = spgc_frame_end(frame_address);
  ck_assert_uint_lt((uintptr_t)end, (uintptr_t)caller_variable);
  return (uintptr_t)variables + sizeof variables;
}

START_TEST(variables_lie_below_the_end) {
  volatile char variable;
  uintptr_t top = with_variables(&variable);
  ck_assert_uint_ge((uintptr_t)end, (uintptr_t)frame_address);
  if (FRAME_ADDRESS_MAY_BE_LOWEST)
    ck_assert_uint_ge((uintptr_t)end, top);
  else
    ck_assert_ptr_eq(end, frame_address);
}
END_TEST

START_TEST(the_frame_of_a_caller_has_one) {
  void *own = spgc_frame_end(__builtin_frame_address(0));
  volatile char variable;
  with_variables(&variable);
  ck_assert_uint_ge((uintptr_t)own, (uintptr_t)&variable);
  ck_assert_uint_le((uintptr_t)end, (uintptr_t)own);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("frame-end");
  TCase *tests = tcase_create("frame-end");
  tcase_add_test(tests, variables_lie_below_the_end);
  tcase_add_test(tests, the_frame_of_a_caller_has_one);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
