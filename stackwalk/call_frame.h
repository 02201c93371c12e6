/* Steps out of a frame by its function's call frame information (DWARF 5, section 6.4; Linux
 * Standard Base, exception frames).
 *
 * The information comes from loaded objects and from code made at run time. It is read anew for
 * each step, because libraries come and go: reading it costs less than remembering it safely.
 * Reading it calls neither malloc nor the system. Only the rules that compilers write are
 * understood; libunwind handles signal frames and rarer rules.
 */
#ifndef SPGC_STACKWALK_CALL_FRAME_H
#define SPGC_STACKWALK_CALL_FRAME_H

#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

/* The place where the caller's value of a register is. */
struct saved_rule {
  int64_t offset; /* from the canonical frame address; 0: the register was not saved, so the caller
                     has the same value */
  /* Computes the place, and replaces `offset` (frame_expression.h); or NULL. */
  const uint8_t *expression;
};

/* The unwind rules of frames suspended at one address. */
struct call_frame {
  struct function_address start;
  bool has_personality; /* exceptions may end in frames of the function */
  bool is_signed; /* its return address was signed on the way, which libunwind 1.6 does not know */
  uint64_t reg;   /* DWARF register: its value + `offset` is the canonical frame address */
  int64_t offset;
  const uint8_t *expression; /* computes the canonical frame address, and replaces `reg` and
                                `offset`; or NULL */
  int64_t return_address;    /* its place, counted from the canonical frame address */
  struct saved_rule saved[PRESERVED_REGISTERS]; /* by enum origin */
};

/* False when no table covers the address, or when its rules are not understood here. */
bool spgc_call_frame_find(struct return_address address, struct call_frame *rules);

/* Replaces the frame by its caller. Returns false, and leaves the frame unchanged, when the
 * canonical frame address is counted from a register that was not saved on the stack, or when it
 * cannot be right. Nothing is read above `limit`: a caller whose frame begins there gets the return
 * address 0. */
bool spgc_call_frame_step(const struct call_frame *rules, struct suspended_frame *frame,
                          struct stack_address limit);

/* The function around an address, as exceptions need it. */
struct call_frame_function {
  struct function_address start;
  uintptr_t personality;        /* 0: none */
  const uint8_t *language_data; /* the personality reads it; NULL: none */
};

/* False when no table covers the address, or when its description is not understood here. */
bool spgc_call_frame_function(struct return_address address, struct call_frame_function *function);

/* The extent of the description that covers the function's first instruction, in a loaded file.
 * False when no table has one, or when it is not understood here. */
bool spgc_call_frame_extent(struct function_address function, uintptr_t *start, uintptr_t *end);

#endif
