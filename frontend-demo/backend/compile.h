#ifndef LOX_BACKEND_COMPILE_H
#define LOX_BACKEND_COMPILE_H

#include <llvm-c/Core.h>

#include "spgc/jit.h"
#include "spgc/lower.h"

enum lox_stage {
  LOX_STAGE_IR,      /* as emitted from the tree */
  LOX_STAGE_LOWERED, /* with allocation, barriers and statepoints */
  LOX_STAGE_ASSEMBLY,
  LOX_STAGE_OBJECT,
};

/* Changes the module. The caller disposes of the buffer. */
enum spgc_result lox_compile(LLVMModuleRef module, enum lox_stage stage,
                             const struct spgc_lower_options *options, LLVMMemoryBufferRef *buffer,
                             struct spgc_error *error);

/* `listeners`: see spgc/jit.h. The caller destroys the JIT, even after an error. */
enum spgc_result lox_jit_start(struct spgc_jit **jit, unsigned listeners, struct spgc_error *error);

/* Takes ownership of the object. */
enum spgc_result lox_jit_load(struct spgc_jit *jit, LLVMMemoryBufferRef object, const char *symbol,
                              void **unit, struct spgc_error *error);

#endif
