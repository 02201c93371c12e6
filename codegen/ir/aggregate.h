/* Structure and array types, and their parts: fields or elements. */
#ifndef SPGC_CODEGEN_IR_AGGREGATE_H
#define SPGC_CODEGEN_IR_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

bool spgc_is_aggregate(LLVMTypeRef type);
unsigned spgc_aggregate_count(LLVMTypeRef type);
LLVMTypeRef spgc_aggregate_part(LLVMTypeRef type, unsigned i);
uint64_t spgc_aggregate_offset(LLVMTargetDataRef data, LLVMTypeRef type, unsigned i);

/* True if a type has more parts than a limit, those of its parts counted instead of these. */
bool spgc_aggregate_exceeds(LLVMTypeRef type, uint64_t limit);

#endif
