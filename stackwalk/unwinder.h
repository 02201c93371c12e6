/* Frames as libunwind sees them, from any in the stack outwards: the reference, and for what
 * call_frame.h leaves out.
 *
 * libunwind is given an address space of its own kind, whose accessors (unwinder.c) read nothing
 * but the walked stack, loaded objects, and what tables of code made at run time lead to. Its way
 * of looking at its own process is not used: that asks the system whether memory may be read,
 * through a pipe whose descriptors the program may have closed and given to something else.
 *
 * Invariant: the unwinder stays where it is while it is used, because libunwind keeps its address.
 */
#ifndef SPGC_STACKWALK_UNWINDER_H
#define SPGC_STACKWALK_UNWINDER_H

#include <libunwind.h>
#include <stdbool.h>

#include "stackwalk/loaded_code.h"
#include "stackwalk/suspended_frame.h"

struct unwinder {
  struct stack_address lowest, limit; /* of the walked stack; set before the start */
  bool
      places_ascend; /* a frame further in is at a lower address: not so with stacklets; likewise */
  unw_cursor_t cursor;
  struct suspended_frame start;                /* where the cursor started */
  uintptr_t registers[CALLEE_SAVED_REGISTERS]; /* in that frame, by enum origin */
  struct loaded_object recent;                 /* that was read last */
};

/* Makes libunwind ready, which is otherwise done when it is first needed: it opens two descriptors.
 * Any thread. */
void spgc_unwinder_prepare(void);

/* At `frame`, wherever the unwinder was. */
void spgc_unwinder_start(struct unwinder *unwinder, const struct suspended_frame *frame);

/* On to the caller, which `frame` becomes. False when libunwind knows no caller; `frame` is
 * unchanged then. */
bool spgc_unwinder_step(struct unwinder *unwinder, struct suspended_frame *frame);

/* Whether the frame was made by a signal: its caller was interrupted, and does not wait for a call
 * to return. */
bool spgc_unwinder_is_at_signal(struct unwinder *unwinder);

struct unwinder_function {
  struct function_address start;
  uintptr_t personality; /* 0: exceptions do not end in its frames */
  const uint8_t *language_data;
};

/* The function that the unwinder is at. Fatal when there is no unwind information: libunwind would
 * guess, and might step over managed frames. */
struct unwinder_function spgc_unwinder_function(struct unwinder *unwinder);

#endif
