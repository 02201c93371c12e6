/* Frames as libunwind sees them, from the innermost outwards or from one in the middle of the stack.
 *
 * A cursor reads registers that no frame has saved yet from the context it was started with. In a context made for a
 * frame in the middle (spgc_unwinder_resume) those values are copies; `places` says where the originals are, so that a
 * location inside the context is translated back to the stack.
 *
 * Invariant: the context stays where it is while the cursor is used.
 */
#ifndef SPGC_STACKWALK_UNWINDER_H
#define SPGC_STACKWALK_UNWINDER_H

#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

struct unwinder {
  unw_cursor_t cursor;
  unw_context_t context;
  bool places_ascend; /* a frame further in is at a lower address: not so with stacklets; set before the start */
  struct stack_address places[CALLEE_SAVED_REGISTERS]; /* of the values in `context`; 0: not on the stack */
};

/* At the function that captured `captured` with unw_getcontext; it must not return while the unwinder is used. */
void spgc_unwinder_start(struct unwinder *unwinder, const unw_context_t *captured, struct suspended_frame *frame);

/* At `frame`, wherever the unwinder was. */
void spgc_unwinder_resume(struct unwinder *unwinder, const struct suspended_frame *frame);

/* On to the caller, which `frame` becomes. False when libunwind knows no caller; `frame` is unchanged then. */
bool spgc_unwinder_step(struct unwinder *unwinder, struct suspended_frame *frame);

struct unwinder_function {
  struct function_address start;
  bool has_personality; /* exceptions may end in its frames */
};

/* The function that the unwinder is at. Fatal when there is no unwind information: libunwind would guess, and might
 * step over managed frames. */
struct unwinder_function spgc_unwinder_function(struct unwinder *unwinder);

#endif
