/* A call that inner frames can leave at any time, as by longjmp.
 *
 *    higher addresses
 *   +---------------------------+
 *   | frames further out        |  may keep references in callee-saved registers
 *   +---------------------------+
 *   | spgc_protected_call_start |  has pushed all of those registers, where walks rewrite them
 *   +---------------------------+  <- stack_pointer of the call, where its address is
 *   | the function called, ...  |
 *
 * setjmp would keep the registers in a buffer that no walk sees. Leaving pops them like a return.
 *
 * A thread's calls form a chain. Unwinding removes a call from it: the stub's personality does so
 * for unwinders, and unwind.c for spgc_unwind. */
#ifndef SPGC_STACKWALK_PROTECTED_CALL_H
#define SPGC_STACKWALK_PROTECTED_CALL_H

#define PROTECTED_CALL_STACK_POINTER 0

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In a frame right outside the call's. Written by its thread only. */
struct protected_call {
  uintptr_t stack_pointer; /* the stub's frame's, while its function runs */
  struct protected_call *outer;
};

_Static_assert(offsetof(struct protected_call, stack_pointer) == PROTECTED_CALL_STACK_POINTER,
               "the stub's layout");

struct protected_call *spgc_protected_call_innermost(void);
void spgc_protected_call_set_innermost(struct protected_call *call);

/* Whether the call was left. `value` is the function's result, or the value of the leave. */
bool spgc_protected_call_make(struct protected_call *call, void *(*function)(void *argument),
                              void *argument, void **value);

/* The call must be in the thread's chain; it ends with all calls further in. */
_Noreturn void spgc_protected_call_leave(struct protected_call *call, void *value);

/* The stub's frame has this stack pointer. */
static inline struct protected_call *protected_call_of_frame(uintptr_t stack_pointer) {
  return *(struct protected_call *const *)stack_pointer;
}

struct _Unwind_Exception;
struct _Unwind_Context;

int spgc_protected_call_personality(int version, int actions, uint64_t exception_class,
                                    struct _Unwind_Exception *exception,
                                    struct _Unwind_Context *context);

#endif
#endif
