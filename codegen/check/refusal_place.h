/* Refusals: puts the place and the quoted instruction before the words, which are in check_*.c.
 *
 * While a listener listens, rejections of its thread go to it instead of to `error`, and
 * spgc_reject returns SPGC_OK, so that the check continues and finds the next one. A check must
 * therefore continue after a rejection that returns SPGC_OK. */
#ifndef SPGC_CODEGEN_CHECK_REFUSAL_PLACE_H
#define SPGC_CODEGEN_CHECK_REFUSAL_PLACE_H

#include <llvm-c/Core.h>

#include "codegen/ir/objection.h"
#include "spgc/result.h"

struct reject_listener {
  void (*hear)(struct reject_listener *listener, const struct spgc_error *error);
};

/* NULL: nobody listens. Returns the previous listener. */
struct reject_listener *spgc_reject_listen(struct reject_listener *listener);

/* Rejects an instruction, a function or a global variable: names its place in the source, its
 * function and variable, and quotes an instruction. `variable` is the local variable that the
 * instruction uses, or NULL if it is not known. Returns SPGC_ERROR_REJECTED. */
enum spgc_result spgc_reject(LLVMValueRef culprit, LLVMValueRef variable,
                             const struct objection *objection, struct spgc_error *error);

#endif
