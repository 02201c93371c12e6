#include "stackwalk/stack_switch.h"

#include <unwind.h>

#include "support/fatal.h"

extern const unsigned char spgc_stack_start[];

/* The words that spgc_stack_switch leaves at the stack pointer, from the lowest address on. */
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

/* The frame that called spgc_stack_switch. */
static struct suspended_frame caller_of(const struct saved_by_switch *saved) {
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

struct spgc_suspended_stack spgc_stack_left(struct left_stack *stack, void *base) {
  return (struct spgc_suspended_stack){
      .frame = caller_of((const struct saved_by_switch *)stack->stack_pointer),
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
