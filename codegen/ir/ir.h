/* Questions about LLVM IR that every phase of the lowering asks.
 *
 * A *reference* is a value of type ptr addrspace(1). A *managed* function carries a gc strategy:
 * only its calls become statepoints. A *leaf* call cannot reach a safepoint. A *derived* pointer
 * may point into an object.
 */
#ifndef SPGC_CODEGEN_IR_IR_H
#define SPGC_CODEGEN_IR_IR_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

enum { IR_REFERENCE_ADDRESS_SPACE = 1 };

/* Where a function's or a call's own attributes are kept. */
#define IR_ON_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* NOLINTBEGIN(bugprone-macro-parentheses): the first argument is declared. */
#define IR_EACH_FUNCTION(function, module)                                                         \
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;                     \
       function = LLVMGetNextFunction(function))
#define IR_EACH_GLOBAL(global, module)                                                             \
  for (LLVMValueRef global = LLVMGetFirstGlobal(module); global != NULL;                           \
       global = LLVMGetNextGlobal(global))
#define IR_EACH_BLOCK(block, function)                                                             \
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;                  \
       block = LLVMGetNextBasicBlock(block))
#define IR_EACH_INSTRUCTION(instruction, block)                                                    \
  for (LLVMValueRef instruction = LLVMGetFirstInstruction(block); instruction != NULL;             \
       instruction = LLVMGetNextInstruction(instruction))
/* NOLINTEND(bugprone-macro-parentheses) */

bool spgc_ir_type_is_reference(LLVMTypeRef type);
bool spgc_ir_type_is_reference_vector(LLVMTypeRef type);
/* A reference, or an array, structure or vector with one somewhere. */
bool spgc_ir_type_contains_reference(LLVMTypeRef type);
/* A structure or array value that contains one: not what RS4GC relocates. */
bool spgc_ir_type_is_aggregate_of_references(LLVMTypeRef type);
/* A vector of unknown length, or an array or structure with one. */
bool spgc_ir_type_is_scalable(LLVMTypeRef type);
bool spgc_ir_is_reference(LLVMValueRef value);
/* Or a vector of them. */
bool spgc_ir_is_any_reference(LLVMValueRef value);

/* No parameter of this type of function is passed on the stack, by C's calling convention. */
bool spgc_ir_type_passes_registers(LLVMTypeRef function);

bool spgc_ir_function_is_managed(LLVMValueRef function);
/* An argument, an instruction's result or operand, or an alloca has a reference in its type. */
bool spgc_ir_function_uses_references(LLVMValueRef function);
bool spgc_ir_function_has_attribute(LLVMValueRef function, const char *name);
void spgc_ir_function_add_attribute(LLVMValueRef function, const char *name);
void spgc_ir_function_remove_attribute(LLVMValueRef function, const char *name);
/* Nothing of it is left once functions that ask for it were inlined; unless it calls itself, or its
 * address is taken.
 */
bool spgc_ir_function_vanishes(LLVMValueRef function);
/* It may become larger to be quicker. */
bool spgc_ir_function_may_grow(LLVMValueRef function);
/* Nobody would miss it if a copy of the function, or its body, is run in its place. */
bool spgc_ir_function_may_be_copied(LLVMValueRef function);
bool spgc_ir_name_starts_with(LLVMValueRef value, const char *prefix);
bool spgc_ir_name_is(LLVMValueRef value, const char *name);

/* The first instruction of an argument's function, of an invoke's normal destination, or after an
 * instruction: from there on its value can be used. */
LLVMValueRef spgc_ir_first_possible_use(LLVMValueRef value);

/* The first instruction of a definition behind the allocas it starts with. */
LLVMValueRef spgc_ir_first_after_allocas(LLVMValueRef function);

/* A call, invoke or callbr. */
bool spgc_ir_is_call(LLVMValueRef instruction);
/* The function a call names directly; NULL for calls through pointers and inline assembly. */
LLVMValueRef spgc_ir_callee(LLVMValueRef call);
/* Another function of the same type. */
void spgc_ir_call_set_callee(LLVMValueRef call, LLVMValueRef callee);
/* A direct call of the intrinsic whose name starts with `prefix`, e.g. "llvm.memcpy." */
bool spgc_ir_is_intrinsic(LLVMValueRef instruction, const char *prefix);
bool spgc_ir_is_any_intrinsic(LLVMValueRef instruction);
/* A copy, also one that is atomic by elements. */
bool spgc_ir_is_memory_transfer(LLVMValueRef instruction);
bool spgc_ir_is_element_copy(LLVMValueRef instruction);
bool spgc_ir_call_has_attribute(LLVMValueRef call, const char *name);
void spgc_ir_call_add_attribute(LLVMValueRef call, const char *name);
void spgc_ir_call_remove_attribute(LLVMValueRef call, const char *name);
/* Puts a call or invoke with these operand bundles, and otherwise the same, in the place of one. */
void spgc_ir_call_replace(LLVMValueRef call, LLVMOperandBundleRef *bundles, unsigned count);
void spgc_ir_call_add_string_attribute(LLVMValueRef call, const char *name);
/* An operand bundle with this tag. */
bool spgc_ir_call_has_bundle(LLVMValueRef call, const char *tag);
/* "gc-leaf-function" on the function. */
bool spgc_ir_function_is_leaf(LLVMValueRef function);
/* "gc-leaf-function" on the call or the callee, or an intrinsic that is never a safepoint. */
bool spgc_ir_call_is_leaf(LLVMValueRef call);

/* A call of a C library function with variable arguments, such as printf: never a safepoint. */
bool spgc_ir_is_library_varargs(LLVMValueRef call);

/* The object a pointer is computed from: through address arithmetic and casts, not through phis. */
LLVMValueRef spgc_ir_underlying_object(LLVMValueRef pointer);
/* The alloca a pointer comes from, or NULL. */
LLVMValueRef spgc_ir_underlying_alloca(LLVMValueRef pointer);
/* The address of one of the words of spgc_thread, as the prelude's accessors compute it. */
bool spgc_ir_is_thread_word(LLVMValueRef address);
/* Whether a reference, or a lane of a vector of them, may point into the inside of an object. Phis
 * and selects are followed; what a call returns, what is loaded and what is passed in are bases by
 * contract. */
bool spgc_ir_is_derived(LLVMValueRef reference);
/* The one value that a reference is computed from, on every way through phis and selects; NULL when
 * there are several, or it is a constant. Two references with the same one lie in the same object.
 */
LLVMValueRef spgc_ir_only_base(LLVMValueRef reference);
/* A constant, or a pointer made from a number that is not an address: it never means an object that
 * moves. */
bool spgc_ir_is_never_an_object(LLVMValueRef reference);

#endif
