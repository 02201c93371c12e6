/* Expressions in call frame information (DWARF 5, section 2.5), for realigned stacks: registers are
 * not at constant distances from the canonical frame address. */
#ifndef SPGC_STACKWALK_FRAME_EXPRESSION_H
#define SPGC_STACKWALK_FRAME_EXPRESSION_H

#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

struct frame_expression_context {
  const struct suspended_frame *frame;
  struct stack_address limit; /* memory is read from the frame's stack pointer up to here */
};

/* False if the expression, which begins with its length, uses other memory, registers that calls do
 * not preserve, or rare operations. */
bool spgc_frame_expression(const uint8_t *expression,
                           const struct frame_expression_context *context, uintptr_t initial,
                           uintptr_t *value);

#endif
