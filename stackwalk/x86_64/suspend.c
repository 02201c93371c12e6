/* spgc/stackwalk.h: suspended stacks. */
#include "stackwalk/walk.h"

/* The words that suspend.S pushed, from the lowest address on; the caller's stack pointer is right
 * above. */
struct saved_registers {
  uintptr_t r15, r14, r13, r12, rbx, rbp;
  struct return_address return_address;
};

/* The frame that called spgc_stack_suspend. */
static struct suspended_frame caller_of(const struct saved_registers *saved) {
  struct suspended_frame caller = {.return_address = saved->return_address};
  caller.origins[ORIGIN_STACK_POINTER].word = (uintptr_t)(saved + 1);
  caller.origins[ORIGIN_RBX].word = (uintptr_t)&saved->rbx;
  caller.origins[ORIGIN_RBP].word = (uintptr_t)&saved->rbp;
  caller.origins[ORIGIN_R12].word = (uintptr_t)&saved->r12;
  caller.origins[ORIGIN_R13].word = (uintptr_t)&saved->r13;
  caller.origins[ORIGIN_R14].word = (uintptr_t)&saved->r14;
  caller.origins[ORIGIN_R15].word = (uintptr_t)&saved->r15;
  return caller;
}

typedef void *suspended_body(const struct spgc_suspended_stack *stack, void *context);

void *spgc_stack_run_suspended(void *base, suspended_body *body, void *context,
                               const struct saved_registers *saved);

/* Only spgc_stack_suspend calls it. */
void *spgc_stack_run_suspended(void *base, suspended_body *body, void *context,
                               const struct saved_registers *saved) {
  bool is_compared = false;
  const struct stack_address from = {(uintptr_t)base};
  const struct spgc_suspended_stack stack = {.frame = caller_of(saved),
                                             .lowest = {(uintptr_t)saved},
                                             .base = from,
                                             .stacklets = spgc_stacklets(from),
                                             .is_compared = &is_compared};
  /* The body returns a result of its own, not its first argument. */
  /* cppcheck-suppress returnDanglingLifetime */
  return body(&stack, context);
}
