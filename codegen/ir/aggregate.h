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

/* `*offset` becomes relative to the part. Elements continue beyond an array's end. A structure must
 * have fields. */
unsigned spgc_aggregate_at(LLVMTargetDataRef data, LLVMTypeRef type, uint64_t *offset);

#endif
