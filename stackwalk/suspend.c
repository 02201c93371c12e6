#include "stackwalk/machine_frame.h"
#include "stackwalk/walk.h"
#include "support/fatal.h"

typedef void *suspended_body(const struct spgc_suspended_stack *stack, void *context);

void *spgc_stack_run_suspended(void *base, suspended_body *body, void *context,
                               const struct saved_registers *saved);

void *spgc_stack_run_suspended(void *base, suspended_body *body, void *context,
                               const struct saved_registers *saved) {
  bool is_compared = false;
  spgc_require(body != NULL, "spgc_stack_suspend: no function is given");
  const struct stack_address from = {(uintptr_t)base};
  const struct spgc_suspended_stack stack = {.frame = caller_of(saved),
                                             .lowest = {(uintptr_t)saved},
                                             .base = from,
                                             .stacklets = spgc_stacklets(from),
                                             .is_compared = &is_compared};
  /* the result is not the body's first argument */
  /* cppcheck-suppress returnDanglingLifetime */
  return body(&stack, context);
}
