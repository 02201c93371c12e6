/* Adds the place and a quotation of the instruction.
 *
 * If the thread has a listener, it gets rejections instead of `error`: spgc_reject returns SPGC_OK,
 * and the check continues. */
#ifndef SPGC_CODEGEN_CHECK_REFUSAL_PLACE_H
#define SPGC_CODEGEN_CHECK_REFUSAL_PLACE_H

#include <llvm-c/Core.h>

#include "spgc/result.h"

struct objection {
  unsigned rule; /* row of docs/frontend-rules.md: 1 for R1 */
  const char *problem;
  const char *remedy; /* an imperative */
};

struct reject_listener {
  void (*hear)(struct reject_listener *listener, const struct spgc_error *error);
};

/* NULL: no listener. Returns the previous one. */
struct reject_listener *spgc_reject_listen(struct reject_listener *listener);

/* The instruction uses `variable`, or it is NULL. Returns SPGC_ERROR_REJECTED. */
enum spgc_result spgc_reject(LLVMValueRef culprit, LLVMValueRef variable,
                             const struct objection *objection, struct spgc_error *error);

#endif
