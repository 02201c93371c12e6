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
#include <stdint.h>

#include <llvm-c/Core.h>

enum { IR_REFERENCE_ADDRESS_SPACE = 1 };

/* The index of a function's or a call's own attributes. */
#define IR_ON_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* NOLINTBEGIN(bugprone-macro-parentheses): the first argument is declared. */
/* The body may delete the function. */
#define IR_EACH_FUNCTION(function, module)                                                         \
  for (LLVMValueRef function = LLVMGetFirstFunction(module), function##_next = NULL;               \
       function != NULL && (function##_next = LLVMGetNextFunction(function), true);                \
       function = function##_next)
#define IR_EACH_GLOBAL(global, module)                                                             \
  for (LLVMValueRef global = LLVMGetFirstGlobal(module); global != NULL;                           \
       global = LLVMGetNextGlobal(global))
#define IR_EACH_BLOCK(block, function)                                                             \
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;                  \
       block = LLVMGetNextBasicBlock(block))
#define IR_EACH_INSTRUCTION(instruction, block)                                                    \
  for (LLVMValueRef instruction = LLVMGetFirstInstruction(block); instruction != NULL;             \
       instruction = LLVMGetNextInstruction(instruction))
/* The edges to a block: the uses of it by branches. */
#define IR_EACH_EDGE(edge, block)                                                                  \
  for (LLVMUseRef edge = spgc_ir_edge(LLVMGetFirstUse(LLVMBasicBlockAsValue(block)));              \
       edge != NULL; edge = spgc_ir_edge(LLVMGetNextUse(edge)))
/* All instructions of a function. The body may erase the instruction, and insert others beside it,
 * which are passed over. */
#define IR_EACH_INSTRUCTION_OF(instruction, function)                                              \
  for (LLVMValueRef instruction = spgc_ir_first_instruction(function), instruction##_next = NULL;  \
       instruction != NULL && (instruction##_next = spgc_ir_next_instruction(instruction), true);  \
       instruction = instruction##_next)
/* NOLINTEND(bugprone-macro-parentheses) */

/* The first use from this one on, which may be NULL, that is an edge; and where an edge comes from.
 */
LLVMUseRef spgc_ir_edge(LLVMUseRef use);
LLVMBasicBlockRef spgc_ir_source(LLVMUseRef edge);

/* NULL for a function without a body, and behind the last instruction. */
LLVMValueRef spgc_ir_first_instruction(LLVMValueRef function);
LLVMValueRef spgc_ir_next_instruction(LLVMValueRef instruction);

/* A builder that the caller disposes of. */
LLVMBuilderRef spgc_ir_builder_before(LLVMValueRef instruction);
/* Erases an instruction, whose uses are from then on uses of `by`. */
void spgc_ir_replace(LLVMValueRef instruction, LLVMValueRef by);
/* So many bytes behind a pointer. */
LLVMValueRef spgc_ir_build_offset(LLVMBuilderRef builder, LLVMValueRef pointer, uint64_t bytes);
LLVMValueRef spgc_ir_word(LLVMContextRef context, uint64_t value);

/* Attributes of `value`, which is a function or a call: its own (IR_ON_FUNCTION), of its result
 * (0), or of a parameter (from 1). */
unsigned spgc_ir_attribute_kind(const char *name);
LLVMAttributeRef spgc_ir_attribute_at(LLVMValueRef value, LLVMAttributeIndex index,
                                      const char *name);
void spgc_ir_set_attribute(LLVMValueRef value, LLVMAttributeIndex index, const char *name,
                           uint64_t number);
/* From function to function, or from call to call; and those of the result and the parameters. */
void spgc_ir_copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex index);
void spgc_ir_copy_attributes_of_types(LLVMValueRef from, LLVMValueRef to);
/* Its own. */
bool spgc_ir_has_attribute(LLVMValueRef value, const char *name);
void spgc_ir_add_attribute(LLVMValueRef value, const char *name);
void spgc_ir_remove_attribute(LLVMValueRef value, const char *name);
void spgc_ir_add_string(LLVMValueRef value, const char *name);

/* A parameter of a function, or an argument of a call, from 0. */
unsigned spgc_ir_parameter_count(LLVMValueRef value);
LLVMValueRef spgc_ir_parameter(LLVMValueRef value, unsigned i);

/* Metadata without contents, by which phases tell others of an instruction. */
void spgc_ir_mark(LLVMValueRef instruction, const char *kind);
void spgc_ir_unmark(LLVMValueRef instruction, const char *kind);
bool spgc_ir_is_marked(LLVMValueRef instruction, const char *kind);

bool spgc_ir_type_is_reference(LLVMTypeRef type);
bool spgc_ir_type_is_reference_vector(LLVMTypeRef type);
/* A reference, or an array, structure or vector that contains one. */
bool spgc_ir_type_contains_reference(LLVMTypeRef type);
/* A structure or array type that contains a reference: RS4GC does not relocate such values. */
bool spgc_ir_type_is_aggregate_of_references(LLVMTypeRef type);
/* A vector of unknown length, or an array or structure that contains one. */
bool spgc_ir_type_is_scalable(LLVMTypeRef type);
bool spgc_ir_is_reference(LLVMValueRef value);
/* A reference, or a vector of them. */
bool spgc_ir_is_any_reference(LLVMValueRef value);

bool spgc_ir_function_is_managed(LLVMValueRef function);
/* True if a managed function is defined in the module. */
bool spgc_ir_module_is_managed(LLVMModuleRef module);
/* True if the type of an argument, an instruction's result or operand, or an alloca contains a
 * reference, or if the memory of a parameter or of a call's argument holds one: a function that
 * only passes a structure on has no other sign of them. */
bool spgc_ir_function_uses_references(LLVMValueRef function);
/* The type of the memory behind a pointer that is a parameter of a function, or an argument of a
 * call (0: the first), as an attribute such as byval or sret tells it; NULL if there is none. */
LLVMTypeRef spgc_ir_memory_type(LLVMValueRef value, unsigned parameter);
/* The same, NULL if it contains no reference. A call has the attributes of the function that it
 * names, too. */
LLVMTypeRef spgc_ir_memory_of_parameter(LLVMValueRef function, unsigned parameter);
LLVMTypeRef spgc_ir_memory_of_argument(LLVMValueRef call, unsigned argument);
/* An attribute that is a string; NULL if the function has none of this name. */
LLVMAttributeRef spgc_ir_function_string(LLVMValueRef function, const char *name);
/* True if nothing of the function remains once functions that ask for it are inlined: it does not
 * call itself, and its address is not taken. */
bool spgc_ir_function_vanishes(LLVMValueRef function);
/* True if running a copy of the function, or its body, in its place makes no difference. */
bool spgc_ir_function_may_be_copied(LLVMValueRef function);
/* Compares a text of so many bytes with one that is not empty. */
bool spgc_ir_text_is(const char *text, size_t length, const char *wanted);
bool spgc_ir_name_starts_with(LLVMValueRef value, const char *prefix);
bool spgc_ir_name_is(LLVMValueRef value, const char *name);
bool spgc_ir_name_is_among(LLVMValueRef value, const char *const *names, size_t count);
bool spgc_ir_name_starts_with_any(LLVMValueRef value, const char *const *prefixes, size_t count);
#define IR_NAME_STARTS_WITH_ANY(value, prefixes)                                                   \
  spgc_ir_name_starts_with_any(value, prefixes, sizeof(prefixes) / sizeof *(prefixes))
#define IR_NAME_IS_AMONG(value, names)                                                             \
  spgc_ir_name_is_among(value, names, sizeof(names) / sizeof *(names))

/* The first instruction of a function behind its leading allocas. */
LLVMValueRef spgc_ir_first_after_allocas(LLVMValueRef function);

LLVMValueRef spgc_ir_function_of(LLVMValueRef instruction);
LLVMModuleRef spgc_ir_module_of(LLVMValueRef instruction);

/* A comparison of the order of integers or pointers. */
bool spgc_ir_is_ordered_compare(LLVMValueRef instruction);
/* ptrtoint of a reference. */
bool spgc_ir_is_cast_of_reference(LLVMValueRef value);

/* A call, invoke or callbr. */
bool spgc_ir_is_call(LLVMValueRef instruction);
/* The function that a call names directly; NULL for calls through pointers and inline assembly. */
LLVMValueRef spgc_ir_callee(LLVMValueRef call);
/* `callee` must be a function of the same type. */
void spgc_ir_call_set_callee(LLVMValueRef call, LLVMValueRef callee);
/* A direct call of an intrinsic whose name starts with `prefix`, e.g. "llvm.memcpy." */
bool spgc_ir_is_intrinsic(LLVMValueRef instruction, const char *prefix);
bool spgc_ir_is_any_intrinsic(LLVMValueRef instruction);
/* A call that gives back its first argument, a pointer, with a note for other tools. */
bool spgc_ir_is_annotation(LLVMValueRef instruction);
/* The pointer whose lifetime the marker (llvm.lifetime.start or .end) tells of: its last argument,
 * which a size precedes before LLVM 22. */
LLVMValueRef spgc_ir_lifetime_pointer(LLVMValueRef marker);

/* A copy, also one that is atomic by elements. */
bool spgc_ir_is_memory_transfer(LLVMValueRef instruction);
/* The same, also while the lowering hides it from the optimiser. */
bool spgc_ir_is_transfer(LLVMValueRef instruction);
bool spgc_ir_is_element_copy(LLVMValueRef instruction);
/* The same for the call or the function that it names, of the result or a parameter, too. */
bool spgc_ir_call_or_callee_has(LLVMValueRef call, LLVMAttributeIndex index, const char *name);
/* Replaces a call or invoke by one with these operand bundles that is otherwise the same. */
void spgc_ir_call_replace(LLVMValueRef call, LLVMOperandBundleRef *bundles, unsigned count);
bool spgc_ir_call_is_musttail(LLVMValueRef call);
bool spgc_ir_bundle_is(LLVMOperandBundleRef bundle, const char *tag);
/* The call's operand bundle with this tag, which the caller disposes of; NULL if it has none. */
LLVMOperandBundleRef spgc_ir_call_bundle(LLVMValueRef call, const char *tag);
bool spgc_ir_call_has_bundle(LLVMValueRef call, const char *tag);
/* True if the function has "gc-leaf-function". */
bool spgc_ir_function_is_leaf(LLVMValueRef function);
/* True if the call or the callee has "gc-leaf-function", or is an intrinsic that is never a
 * safepoint, or a function of the C library (ir/library.h). */
bool spgc_ir_call_is_leaf(LLVMValueRef call);
/* A call that is no leaf. */
bool spgc_ir_is_safepoint(LLVMValueRef instruction);
/* What RS4GC made of one. */
bool spgc_ir_is_statepoint(LLVMValueRef instruction);
bool spgc_ir_function_calls_only_leaves(LLVMValueRef function);
bool spgc_ir_call_passes_reference(LLVMValueRef call);

/* The object that a pointer is computed from: through address arithmetic and casts, not through
 * phis. */
LLVMValueRef spgc_ir_underlying_object(LLVMValueRef pointer);
/* Into a constant of the program, whose bytes contain no reference to an object. */
bool spgc_ir_points_to_constant(LLVMValueRef pointer);
/* The alloca that a pointer comes from, or NULL. */
LLVMValueRef spgc_ir_underlying_alloca(LLVMValueRef pointer);
/* The address of one of the words of spgc_thread, as the prelude's accessors compute it. */
bool spgc_ir_is_thread_word(LLVMValueRef address);
/* Whether the value is a reference, or a vector of them, that may point into the inside of an
 * object. Phis and selects are followed; results of calls, loaded values and parameters are bases
 * by contract. */
bool spgc_ir_is_derived(LLVMValueRef value);
/* True for what is an object's own address by contract. */
bool spgc_ir_gives_object(LLVMValueRef value);
/* True for address arithmetic whose result is its operand's address, if that is an object's; or a
 * number, if that is one. */
bool spgc_ir_arithmetic_keeps_base(LLVMValueRef arithmetic);
/* The one value that a reference is computed from, on every path through phis and selects; NULL
 * when there are several, or it is a constant. Two references with the same one lie in the same
 * object. */
LLVMValueRef spgc_ir_only_base(LLVMValueRef reference);
/* A constant, or what inttoptr made, which is never an object that moves, or address arithmetic on
 * one. */
bool spgc_ir_is_never_an_object(LLVMValueRef reference);

#endif
