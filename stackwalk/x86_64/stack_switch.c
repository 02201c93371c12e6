#include "stackwalk/stack_switch.h"

#include "stackwalk/x86_64/saved_registers.h"

extern const unsigned char spgc_stack_start[];

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
                                    .registers = {.rbx = (uintptr_t)function,
                                                  .r12 = (uintptr_t)argument,
                                                  .return_address = {(uintptr_t)spgc_stack_start}}};
  *stack = (struct left_stack){.stack_pointer = (uintptr_t)saved};
}
