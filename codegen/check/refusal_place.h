/* Refusals: puts the place and the quoted instruction before the words, which the rules in
 * check_*.c have.
 *
 * While a listener listens, each rejection of its thread goes to it instead of to `error`, and the
 * function below returns SPGC_OK, so that the checks go on and find the next one. A check therefore
 * goes on behind a rejection that returns SPGC_OK. */
#ifndef SPGC_CODEGEN_CHECK_REFUSAL_PLACE_H
#define SPGC_CODEGEN_CHECK_REFUSAL_PLACE_H

#include <llvm-c/Core.h>

#include "codegen/ir/objection.h"
#include "spgc/result.h"

struct reject_listener {
  void (*hear)(struct reject_listener *listener, const struct spgc_error *error);
};

/* NULL: nobody listens. Returns the listener before. */
struct reject_listener *spgc_reject_listen(struct reject_listener *listener);

/* Rejects an instruction, or a function or a global variable as a whole: names its place in the
 * source, its function and variable, and quotes an instruction. `variable` is the local variable
 * that the instruction uses, where it is known; NULL otherwise. Returns SPGC_ERROR_REJECTED. */
enum spgc_result spgc_reject(LLVMValueRef culprit, LLVMValueRef variable,
                             const struct objection *objection, struct spgc_error *error);

#endif
