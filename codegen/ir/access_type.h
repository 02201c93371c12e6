/* The C type of the memory an access reads or writes, as the metadata for type-based alias analysis
 * shows it. */
#ifndef SPGC_CODEGEN_IR_ACCESS_TYPE_H
#define SPGC_CODEGEN_IR_ACCESS_TYPE_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* "long" and similar types: never a reference. */
bool spgc_access_is_of_number(LLVMValueRef access);

/* Says of an access that a local variable's type declares its word as a number or an ordinary
 * pointer. */
void spgc_access_declare_number(LLVMValueRef access);
bool spgc_access_is_declared_number(LLVMValueRef access);

/* A memcpy or memmove of which !tbaa.struct says that all it copies are numbers without room for an
 * address, or floating-point numbers. */
bool spgc_copy_is_of_numbers(LLVMValueRef transfer);

/* A pointer, whatever type the instruction itself has. */
bool spgc_access_is_of_pointer(LLVMValueRef access);

#endif
