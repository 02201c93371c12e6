/* Functions of the C library that read memory: those that neither keep nor return its address, and
 * those that do. */
#ifndef SPGC_CODEGEN_IR_LIBRARY_H
#define SPGC_CODEGEN_IR_LIBRARY_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* True if the call is of a function that is declared with the name and the type of one of the
 * first, with pointers of whatever address space, and may be taken for one: it is not "nobuiltin".
 */
bool spgc_ir_calls_reader_of_library(LLVMValueRef call);

/* True if the call passes a reference to a function of the C library, by its name, that returns or
 * keeps an address in what it is given. */
bool spgc_ir_calls_finder_of_library(LLVMValueRef call);

#endif
