#include "stackwalk/stack_switch.h"

#include "stackwalk/aarch64/saved_registers.h"

extern const unsigned char spgc_stack_start[];

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
