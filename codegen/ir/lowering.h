#ifndef SPGC_CODEGEN_IR_LOWERING_H
#define SPGC_CODEGEN_IR_LOWERING_H

#include <stdbool.h>

#include <llvm-c/TargetMachine.h>

#include "spgc/lower.h"

struct lowering {
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  const struct spgc_lower_options *options;
  const char *stage;      /* for messages */
  bool has_casts;         /* the program makes references from integers */
  LLVMBuilderRef builder; /* exists while the stages run; position it before use */
};

/* The options may come from another release. */
enum spgc_result spgc_lower_options_read(struct spgc_lower_options *known,
                                         const struct spgc_lower_options *given, const char *caller,
                                         struct spgc_error *error);

/* The lowering marks a module when all stages have run. */
void spgc_mark_lowered(LLVMModuleRef module);
bool spgc_is_lowered(LLVMModuleRef module);

typedef enum spgc_result lowering_phase(struct lowering *lowering, struct spgc_error *error);

typedef void value_phase(struct lowering *lowering, LLVMValueRef value);

void spgc_run_passes(struct lowering *lowering, const char *passes);

static inline bool spgc_is_foreign(const struct lowering *lowering) {
  return lowering->options->barriers == SPGC_BARRIERS_NONE;
}

#endif
