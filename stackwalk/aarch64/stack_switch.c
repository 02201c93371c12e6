#include "stackwalk/stack_switch.h"

#include <unwind.h>

#include "stackwalk/aarch64/saved_registers.h"
#include "support/fatal.h"

extern const unsigned char spgc_stack_start[];

/* The words that spgc_stack_switch leaves at the stack pointer, from the lowest address on. */
struct saved_by_switch {
  uint64_t float_control, unused;
  struct saved_registers registers;
};

static uint64_t float_control(void) {
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}

/* After the first "return" the stack pointer is aligned as at a call. */
void spgc_stack_prepare(struct left_stack *stack, void *low, size_t size,
                        void (*function)(void *argument, void *value), void *argument) {
  const uintptr_t alignment = 16;
  uintptr_t top = ((uintptr_t)low + size) & ~(alignment - 1);
  struct saved_by_switch *saved = (struct saved_by_switch *)top - 1;
  *saved = (struct saved_by_switch){
      .float_control = float_control(),
      .registers = {.x19_to_x28 = {(uintptr_t)function, (uintptr_t)argument},
                    .return_address = (uintptr_t)spgc_stack_start}};
  *stack = (struct left_stack){.stack_pointer = (uintptr_t)saved};
}

struct spgc_suspended_stack spgc_stack_left(struct left_stack *stack, void *base) {
  return (struct spgc_suspended_stack){
      .frame = caller_of(&((const struct saved_by_switch *)stack->stack_pointer)->registers),
      .lowest = {stack->stack_pointer},
      .base = {(uintptr_t)base},
      .stacklets = {.above = {UINTPTR_MAX}},
      .is_compared = &stack->is_compared};
}

/* Lets forced unwinding pass, because threads end by it. */
int spgc_stack_start_personality(int version, int actions, uint64_t exception_class,
                                 struct _Unwind_Exception *exception,
                                 struct _Unwind_Context *context) {
  if (actions & _UA_SEARCH_PHASE)
    spgc_fatal("an exception leaves the entry of a fiber");
  return _URC_CONTINUE_UNWIND;
}
