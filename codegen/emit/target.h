/* The machine that code is generated for. */
#ifndef SPGC_CODEGEN_EMIT_TARGET_H
#define SPGC_CODEGEN_EMIT_TARGET_H

#include <llvm-c/TargetMachine.h>

#include "spgc/lower.h"

/* SPGC_ERROR_INVALID_ARGUMENT for options outside their range, SPGC_ERROR_UNSUPPORTED when LLVM
 * does not know the machine. The caller must dispose of the machine. */
enum spgc_result spgc_target_machine_create(const struct spgc_lower_options *options,
                                            LLVMTargetMachineRef *machine,
                                            struct spgc_error *error);

/* Gives the module the machine's triple and data layout. References are declared non-integral, so
 * that the optimiser makes no casts between them and integers. SPGC_ERROR_UNSUPPORTED when the
 * module was made for another machine. */
enum spgc_result spgc_target_prepare_module(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                            struct spgc_error *error);

/* SPGC_ERROR_STATE unless spgc_llvm_initialise was called. */
enum spgc_result spgc_llvm_require_initialised(struct spgc_error *error);

#endif
