/* How to step out of a frame by its function's call frame information (DWARF 5, section 6.4; Linux
 * Standard Base, exception frames).
 *
 * Of loaded objects and of code made at run time; read anew each time, which takes less than
 * remembering safely what was at an address would, because libraries come and go. Calls neither
 * malloc nor the system. Only what compilers write: signal frames, and rarer rules, are left to
 * libunwind.
 */
#ifndef SPGC_STACKWALK_CALL_FRAME_H
#define SPGC_STACKWALK_CALL_FRAME_H

#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

/* Where the caller's value of a register is. */
struct saved_rule {
  int64_t
      offset; /* from the canonical frame address; 0: it was not saved, so the caller has it, too */
  const uint8_t *expression; /* of its address, which counts then (frame_expression.h); or NULL */
};

/* Of frames suspended at one address. The return address is right below the canonical frame
 * address. */
struct call_frame {
  struct function_address start;
  bool has_personality; /* exceptions may end in its frames */
  uint64_t reg;         /* DWARF register: its value + `offset` is the canonical frame address */
  int64_t offset;
  const uint8_t *expression; /* of the canonical frame address, which counts then; or NULL */
  struct saved_rule saved[CALLEE_SAVED_REGISTERS]; /* by enum origin */
};

/* False when no table covers the address, or the rules there are not among those read. */
bool spgc_call_frame_find(struct return_address address, struct call_frame *rules);

/* Replaces the frame by its caller. False when the canonical frame address is counted from a
 * register that was not saved on the stack, or the caller's frame cannot be: then the frame is
 * unchanged. Above `limit` nothing is read: a caller whose frame begins there has the return
 * address 0. */
bool spgc_call_frame_step(const struct call_frame *rules, struct suspended_frame *frame,
                          struct stack_address limit);

/* The function around an address, for exceptions. */
struct call_frame_function {
  struct function_address start;
  uintptr_t personality;        /* 0: none */
  const uint8_t *language_data; /* of the personality; NULL: none */
};

/* False when no table covers the address, or what describes it is not among what is read. */
bool spgc_call_frame_function(struct return_address address, struct call_frame_function *function);

#endif
