/* Leaves one stack for another, so that walks can visit the frames left behind.
 *
 *    higher addresses
 *   +-------------------+
 *   | spgc_stack_start  |  the first frame of a stack made here: it has no caller
 *   | frames            |
 *   +-------------------+
 *   | spgc_stack_switch |  has pushed all callee-saved registers: walks find and rewrite them here
 *   +-------------------+  <- stack_pointer, while the stack is left */
#ifndef SPGC_STACKWALK_STACK_SWITCH_H
#define SPGC_STACKWALK_STACK_SWITCH_H

#define LEFT_STACK_POINTER 0

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/stackwalk.h"
#include "stackwalk/walk.h"

/* Written by the leaving thread; the walker writes `is_compared`. */
struct left_stack {
  uintptr_t stack_pointer;
  bool is_compared; /* as in struct spgc_suspended_stack */
};

_Static_assert(offsetof(struct left_stack, stack_pointer) == LEFT_STACK_POINTER,
               "the stub's layout");

/* Continues where `to` was left; spgc_stack_switch returns `value` there. */
void *spgc_stack_switch(struct left_stack *from, const struct left_stack *to, void *value);

/* The first switch calls function(argument, value), which must not return. */
void spgc_stack_prepare(struct left_stack *stack, void *low, size_t size,
                        void (*function)(void *argument, void *value), void *argument);

struct spgc_suspended_stack spgc_stack_left(struct left_stack *stack, void *base);

struct _Unwind_Exception;
struct _Unwind_Context;

/* Fatal for an exception. */
int spgc_stack_start_personality(int version, int actions, uint64_t exception_class,
                                 struct _Unwind_Exception *exception,
                                 struct _Unwind_Context *context);

#endif
#endif
