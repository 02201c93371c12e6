#include "stackwalk/stack_switch.h"

#include <unwind.h>

#include "stackwalk/machine_frame.h"
#include "support/fatal.h"

struct spgc_suspended_stack spgc_stack_left(struct left_stack *stack, void *base) {
  return (struct spgc_suspended_stack){
      .frame = caller_of(&((const struct saved_by_switch *)stack->stack_pointer)->registers),
      .lowest = {stack->stack_pointer},
      .base = {(uintptr_t)base},
      .stacklets = {.above = {UINTPTR_MAX}},
      .is_compared = &stack->is_compared};
}

/* Lets forced unwinding pass, by which threads end. */
int spgc_stack_start_personality(int version, int actions, uint64_t exception_class,
                                 struct _Unwind_Exception *exception,
                                 struct _Unwind_Context *context) {
  if (actions & _UA_SEARCH_PHASE)
    spgc_fatal("an exception leaves the entry of a fiber");
  return _URC_CONTINUE_UNWIND;
}
