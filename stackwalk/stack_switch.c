#include "stackwalk/stack_switch.h"

#include <unwind.h>

#include "support/fatal.h"

extern const unsigned char spgc_stack_switched[], spgc_stack_start[];

/* What spgc_stack_switch leaves at the stack pointer, from the lowest address on. */
struct saved_by_switch {
  uint32_t sse_control;
  uint16_t x87_control, unused;
  uintptr_t r15, r14, r13, r12, rbx, rbp;
  struct return_address return_address;
};

static uint32_t sse_control(void) {
  uint32_t word;
  __asm__ volatile("stmxcsr %0" : "=m"(word));
  return word;
}

static uint16_t x87_control(void) {
  uint16_t word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  return word;
}

/* After the first "return" the stack pointer is aligned as before a call. */
void spgc_stack_prepare(struct left_stack *stack, void *low, size_t size,
                        void (*function)(void *argument, void *value), void *argument) {
  const uintptr_t alignment = 16;
  uintptr_t top = ((uintptr_t)low + size) & ~(alignment - 1);
  struct saved_by_switch *saved = (struct saved_by_switch *)(top - alignment) - 1;
  *saved = (struct saved_by_switch){.sse_control = sse_control(),
                                    .x87_control = x87_control(),
                                    .rbx = (uintptr_t)function,
                                    .r12 = (uintptr_t)argument,
                                    .return_address = {(uintptr_t)spgc_stack_start}};
  *stack = (struct left_stack){.stack_pointer = (uintptr_t)saved};
}

/* Stands in spgc_stack_switch, whose unwind information says where the registers are. */
struct spgc_suspended_stack spgc_stack_left(struct left_stack *stack, void *base) {
  struct spgc_suspended_stack suspended = {.base = {(uintptr_t)base},
                                           .stacklets = {.above = {UINTPTR_MAX}},
                                           .is_compared = &stack->is_compared};
  suspended.context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)spgc_stack_switched;
  suspended.context.uc_mcontext.gregs[REG_RSP] = (greg_t)stack->stack_pointer;
  return suspended;
}

/* Forced unwinding, by which threads end, is let pass. */
int spgc_stack_start_personality(int version, int actions, uint64_t exception_class,
                                 struct _Unwind_Exception *exception,
                                 struct _Unwind_Context *context) {
  if (actions & _UA_SEARCH_PHASE)
    spgc_fatal("an exception leaves the entry of a fiber");
  return _URC_CONTINUE_UNWIND;
}
