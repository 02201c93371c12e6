/* What is lowered, how, and what a phase of it is. */
#ifndef SPGC_CODEGEN_IR_LOWERING_H
#define SPGC_CODEGEN_IR_LOWERING_H

#include <stdbool.h>

#include <llvm-c/TargetMachine.h>

#include "spgc/lower.h"

struct lowering {
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  const struct spgc_lower_options *options;
  const char *stage;      /* the one that runs, for messages */
  LLVMBuilderRef builder; /* while the stages run; to be positioned before an instruction */
};

/* The options that a caller gave, of whatever release its structure is. */
enum spgc_result spgc_lower_options_read(struct spgc_lower_options *known,
                                         const struct spgc_lower_options *given, const char *caller,
                                         struct spgc_error *error);

typedef enum spgc_result lowering_phase(struct lowering *lowering, struct spgc_error *error);

/* A phase that does the same to each function with a body, or to each instruction of those. */
typedef void value_phase(struct lowering *lowering, LLVMValueRef value);

/* Runs passes over the module; an error means that the pipeline's text is wrong. */
void spgc_run_passes(struct lowering *lowering, const char *passes);

/* Whether the code is for another collector. */
static inline bool spgc_is_foreign(const struct lowering *lowering) {
  return lowering->options->barriers == SPGC_BARRIERS_NONE;
}

#endif
