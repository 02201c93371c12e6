/* How to step out of a frame by its function's call frame information (DWARF 5, section 6.4; Linux Standard Base,
 * exception frames).
 *
 * Only for code made at run time. libunwind 1.6 could step there, too, but keeps some 80 bytes for good whenever it
 * reads the information of such code, so a process whose code comes and goes would grow without end. And only for what
 * compilers write: rules that are expressions are left to libunwind.
 */
#ifndef SPGC_STACKWALK_CALL_FRAME_H
#define SPGC_STACKWALK_CALL_FRAME_H

#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

/* Of frames suspended at one address. The return address is right below the canonical frame address. */
struct call_frame {
  struct function_address start;
  bool has_personality; /* exceptions may end in its frames */
  uint64_t reg;         /* DWARF register: its value + `offset` is the canonical frame address */
  int64_t offset;
  int64_t saved[CALLEE_SAVED_REGISTERS]; /* from the canonical frame address to where the register was saved; 0: it is
                                            the caller's */
};

/* False when the address is in no code made at run time, or the rules there are not among those read. */
bool spgc_call_frame_find(struct return_address address, struct call_frame *rules);

/* Replaces the frame by its caller. False when the canonical frame address is counted from a register that was not
 * saved on the stack, or the caller's frame cannot be: then the frame is unchanged. */
bool spgc_call_frame_step(const struct call_frame *rules, struct suspended_frame *frame);

#endif
