/* Calls that test whether words are addresses of objects (spgc/generated.h). */
#ifndef SPGC_CODEGEN_LOWER_CLOSE_NUMBER_TESTS_H
#define SPGC_CODEGEN_LOWER_CLOSE_NUMBER_TESTS_H

#include <llvm-c/Target.h>

#include "codegen/ir/lowering.h"

/* What is tested on behalf of an instruction, and where the tests are put. */
struct tests {
  LLVMModuleRef module;
  LLVMTargetDataRef data;
  LLVMBuilderRef builder;
  LLVMTypeRef word, pointer, reference, nothing;
};

/* The caller disposes of the builder. */
struct tests spgc_tests_open(struct lowering *lowering);

/* A constant text, of where the instruction stands and what it does with the word. */
LLVMValueRef spgc_tests_describe(const struct tests *tests, LLVMValueRef instruction,
                                 const char *what);

LLVMValueRef spgc_tests_count(const struct tests *tests, uint64_t bytes);

/* False for a type without room for a word, and for references. */
bool spgc_has_words(LLVMTypeRef type, LLVMTargetDataRef data);

/* Where the builder stands: each word of a value; the words of memory that these bytes touch; and
 * those that were copied into an object. */
void spgc_test_value(const struct tests *tests, LLVMValueRef value, LLVMValueRef place);
void spgc_test_words(const struct tests *tests, LLVMValueRef first, LLVMValueRef bytes,
                     LLVMValueRef place);
void spgc_test_copy(const struct tests *tests, LLVMValueRef object, LLVMValueRef first,
                    LLVMValueRef bytes, LLVMValueRef place);

#endif
