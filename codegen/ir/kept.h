/* Whether a value is kept over a safepoint: whether one lies on some way from its definition to a
 * use. Calls that are no leaves are safepoints. So are the ends of iterations, before polls are
 * placed, unless the number of iterations is a known constant. */
#ifndef SPGC_CODEGEN_IR_KEPT_H
#define SPGC_CODEGEN_IR_KEPT_H

#include <stdbool.h>

#include "codegen/ir/loops.h"
#include "codegen/ir/values.h"

/* A function, read once for all questions. It must not change meanwhile. */
struct kept {
  struct loops loops;
  struct values instructions; /* of reachable blocks, in order */
  unsigned *before;           /* of each instruction: the safepoints before it in its block */
  unsigned *safepoints;       /* of each block */
  unsigned *searched;         /* of each block: the last question that came to it, or 0 */
  bool *polls;                /* of each block: it is the header of a loop with polls */
  unsigned questions;
};

void spgc_kept_open(struct kept *kept, LLVMValueRef function);
void spgc_kept_close(struct kept *kept);

/* `point` is an instruction; the value, which is one or a parameter, is used there. */
bool spgc_is_kept_until(struct kept *kept, LLVMValueRef value, LLVMValueRef point);

#endif
