/* Expressions in call frame information (DWARF 5, section 2.5). Compilers write them where a
 * frame's registers are not at constant distances from its canonical frame address, because the
 * stack was realigned. */
#ifndef SPGC_STACKWALK_FRAME_EXPRESSION_H
#define SPGC_STACKWALK_FRAME_EXPRESSION_H

#include <stdbool.h>

#include "stackwalk/suspended_frame.h"

struct frame_expression_context {
  const struct suspended_frame *frame;
  struct stack_address limit; /* memory is read from the frame's stack pointer up to here */
};

/* Evaluates the expression, which begins with its length, with `initial` on its stack. False when
 * it uses anything not supported here: other memory, registers that calls do not preserve, rarer
 * operations. */
bool spgc_frame_expression(const uint8_t *expression,
                           const struct frame_expression_context *context, uintptr_t initial,
                           uintptr_t *value);

#endif
