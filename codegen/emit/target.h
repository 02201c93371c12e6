#ifndef SPGC_CODEGEN_EMIT_TARGET_H
#define SPGC_CODEGEN_EMIT_TARGET_H

#include <llvm-c/TargetMachine.h>

#include "spgc/lower.h"

/* SPGC_ERROR_INVALID_ARGUMENT for options out of range, SPGC_ERROR_UNSUPPORTED for an unknown
 * machine. The caller disposes of the machine. */
enum spgc_result spgc_target_machine_create(const struct spgc_lower_options *options,
                                            LLVMTargetMachineRef *machine,
                                            struct spgc_error *error);

/* Sets triple and data layout. References are non-integral pointers, which the optimiser never
 * casts to or from integers. SPGC_ERROR_UNSUPPORTED for another machine's module. */
enum spgc_result spgc_target_prepare_module(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            struct spgc_error *error);

enum spgc_result spgc_llvm_require_initialised(struct spgc_error *error);

#endif
