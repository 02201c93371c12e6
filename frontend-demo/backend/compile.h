/* From a module of the emitter to one of the stages. */
#ifndef LOX_BACKEND_COMPILE_H
#define LOX_BACKEND_COMPILE_H

#include <llvm-c/Core.h>

#include "frontend-demo/backend/stage.h"
#include "spgc/lower.h"

/* Changes the module. Makes a buffer, which the caller must dispose of. */
enum spgc_result lox_compile(LLVMModuleRef module, enum lox_stage stage,
                             const struct spgc_lower_options *options, LLVMMemoryBufferRef *buffer,
                             struct spgc_error *error);

#endif
