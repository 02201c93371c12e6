/* A *reference* is a value of type ptr addrspace(1). A *managed* function has a gc strategy: only
 * its calls become statepoints. A *leaf* call cannot reach a safepoint. A *derived* pointer may
 * point into an object. */
#ifndef SPGC_CODEGEN_IR_IR_H
#define SPGC_CODEGEN_IR_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

enum { IR_REFERENCE_ADDRESS_SPACE = 1, IR_WORD = 8 /* bytes of a reference */ };

#define IR_ON_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* NOLINTBEGIN(bugprone-macro-parentheses): the first argument is declared. */
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
/* Once for each use. The body must not break out of it. */
#define IR_EACH_USER(user, value)                                                                  \
  for (LLVMUseRef user##_use = LLVMGetFirstUse(value); user##_use != NULL;                         \
       user##_use = LLVMGetNextUse(user##_use))                                                    \
    for (LLVMValueRef user = LLVMGetUser(user##_use); user != NULL; user = NULL)
/* The block at the start of each edge to the block. */
#define IR_EACH_EDGE(source, block)                                                                \
  IR_EACH_USER (source##_end, LLVMBasicBlockAsValue(block))                                        \
    for (LLVMBasicBlockRef source =                                                                \
             LLVMIsATerminatorInst(source##_end) ? LLVMGetInstructionParent(source##_end) : NULL;  \
         source != NULL; source = NULL)
/* The body may erase the instruction. Inserted instructions are not visited. */
#define IR_EACH_INSTRUCTION_OF(instruction, function)                                              \
  for (LLVMValueRef instruction = spgc_ir_first_instruction(function), instruction##_next = NULL;  \
       instruction != NULL && (instruction##_next = spgc_ir_next_instruction(instruction), true);  \
       instruction = instruction##_next)
/* NOLINTEND(bugprone-macro-parentheses) */

/* NULL without a body. */
LLVMValueRef spgc_ir_first_instruction(LLVMValueRef function);
LLVMValueRef spgc_ir_next_instruction(LLVMValueRef instruction);

/* The caller disposes of it. */
LLVMBuilderRef spgc_ir_builder_before(LLVMValueRef instruction);
/* With the instruction's source place. */
void spgc_ir_position_after(LLVMBuilderRef builder, LLVMValueRef instruction);
void spgc_ir_replace(LLVMValueRef instruction, LLVMValueRef by);
LLVMValueRef spgc_ir_build_offset(LLVMBuilderRef builder, LLVMValueRef pointer, uint64_t bytes);
LLVMValueRef spgc_ir_word(LLVMContextRef context, uint64_t value);

/* `index` is IR_ON_FUNCTION for the function or call itself, 0 for its result, or a parameter's
 * number from 1. */
unsigned spgc_ir_attribute_kind(const char *name);
LLVMAttributeRef spgc_ir_attribute_at(LLVMValueRef value, LLVMAttributeIndex index,
                                      const char *name);
void spgc_ir_set_attribute(LLVMValueRef value, LLVMAttributeIndex index, const char *name,
                           uint64_t number);
/* The second copies the result's and the parameters'. */
void spgc_ir_copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex index);
void spgc_ir_copy_attributes_of_types(LLVMValueRef from, LLVMValueRef to);
bool spgc_ir_has_attribute(LLVMValueRef value, const char *name);
void spgc_ir_add_attribute(LLVMValueRef value, const char *name);
void spgc_ir_remove_attribute(LLVMValueRef value, const char *name);
void spgc_ir_add_string(LLVMValueRef value, const char *name);
void spgc_ir_remove_string(LLVMValueRef function, const char *name);
/* NULL without the string attribute. */
LLVMAttributeRef spgc_ir_string(LLVMValueRef value, const char *name);

unsigned spgc_ir_parameter_count(LLVMValueRef value);
LLVMValueRef spgc_ir_parameter(LLVMValueRef value, unsigned i);

/* Phases mark instructions for others by metadata. */
void spgc_ir_mark(LLVMValueRef instruction, const char *kind);
void spgc_ir_unmark(LLVMValueRef instruction, const char *kind);
bool spgc_ir_is_marked(LLVMValueRef instruction, const char *kind);

bool spgc_ir_type_is_reference(LLVMTypeRef type);
bool spgc_ir_type_is_reference_vector(LLVMTypeRef type);
bool spgc_ir_type_contains_reference(LLVMTypeRef type);
/* RS4GC does not relocate these. */
bool spgc_ir_type_is_aggregate_of_references(LLVMTypeRef type);
/* A vector of unknown length, or a type with one. */
bool spgc_ir_type_is_scalable(LLVMTypeRef type);
bool spgc_ir_is_reference(LLVMValueRef value);
bool spgc_ir_is_any_reference(LLVMValueRef value);

bool spgc_ir_is_local(LLVMValueRef global);
/* Defined here, and the linker cannot choose another that behaves differently. */
bool spgc_ir_is_definitive(LLVMValueRef global);
bool spgc_ir_function_is_managed(LLVMValueRef function);
bool spgc_ir_module_is_managed(LLVMModuleRef module);
/* Looks at types of arguments, results, operands and allocas, and at parameters' memory: a function
 * that only passes a structure on shows no other sign. */
bool spgc_ir_function_uses_references(LLVMValueRef function);
/* NULL without an attribute such as byval or sret. */
LLVMTypeRef spgc_ir_memory_type(LLVMValueRef value, unsigned parameter);
/* NULL unless it contains a reference. A call also has its callee's attributes. */
LLVMTypeRef spgc_ir_memory_of_argument(LLVMValueRef call, unsigned argument);
/* An internal copy without a subprogram: its instructions keep the original's locations, which is
 * right only once it is inlined there. */
LLVMValueRef spgc_function_clone(LLVMValueRef function, const char *name);
/* It is gone once functions that ask for it are inlined. */
bool spgc_ir_function_vanishes(LLVMValueRef function);
/* A copy or its inlined body behaves as it does. */
bool spgc_ir_function_may_be_copied(LLVMValueRef function);
/* `wanted` is not empty. */
bool spgc_ir_text_is(const char *text, size_t length, const char *wanted);
bool spgc_ir_name_starts_with(LLVMValueRef value, const char *prefix);
bool spgc_ir_name_is(LLVMValueRef value, const char *name);
bool spgc_ir_name_is_among(LLVMValueRef value, const char *const *names, size_t count);
bool spgc_ir_name_starts_with_any(LLVMValueRef value, const char *const *prefixes, size_t count);
#define IR_NAME_STARTS_WITH_ANY(value, prefixes)                                                   \
  spgc_ir_name_starts_with_any(value, prefixes, sizeof(prefixes) / sizeof *(prefixes))
#define IR_NAME_IS_AMONG(value, names)                                                             \
  spgc_ir_name_is_among(value, names, sizeof(names) / sizeof *(names))

LLVMValueRef spgc_ir_first_after_allocas(LLVMValueRef function);

LLVMValueRef spgc_ir_function_of(LLVMValueRef instruction);
LLVMModuleRef spgc_ir_module_of(LLVMValueRef instruction);

bool spgc_ir_is_ordered_compare(LLVMValueRef instruction);
bool spgc_ir_is_cast_of_reference(LLVMValueRef value);

/* NULL unless it loads, stores, exchanges, or compares and swaps. */
LLVMValueRef spgc_ir_address_accessed(LLVMValueRef instruction);
/* A store (also masked or compressing), an exchange or a compare-and-swap. Otherwise `address` is
 * NULL. */
struct write {
  LLVMValueRef address, value;
};
struct write spgc_write_of(LLVMValueRef instruction);

bool spgc_ir_is_call(LLVMValueRef instruction);
/* NULL for calls through pointers and inline assembly. */
LLVMValueRef spgc_ir_callee(LLVMValueRef call);
/* `callee` must be a function of the same type. */
void spgc_ir_call_set_callee(LLVMValueRef call, LLVMValueRef callee);
/* `prefix` is, for example, "llvm.memcpy." */
bool spgc_ir_is_intrinsic(LLVMValueRef instruction, const char *prefix);
bool spgc_ir_is_any_intrinsic(LLVMValueRef instruction);
bool spgc_ir_is_annotation(LLVMValueRef instruction);
/* The last argument; before LLVM 22 a size precedes it. */
LLVMValueRef spgc_ir_lifetime_pointer(LLVMValueRef marker);

/* A memset has no source. */
enum { IR_COPY_DESTINATION, IR_COPY_SOURCE, IR_COPY_LENGTH };
/* Element-wise atomic copies count. */
bool spgc_ir_is_memory_transfer(LLVMValueRef instruction);
/* Includes copies that the lowering hides from the optimiser. */
bool spgc_ir_is_transfer(LLVMValueRef instruction);
bool spgc_ir_is_element_copy(LLVMValueRef instruction);
bool spgc_ir_call_or_callee_has(LLVMValueRef call, LLVMAttributeIndex index, const char *name);
/* Only the bundles change. */
void spgc_ir_call_replace(LLVMValueRef call, LLVMOperandBundleRef *bundles, unsigned count);
bool spgc_ir_call_is_musttail(LLVMValueRef call);
bool spgc_ir_bundle_is(LLVMOperandBundleRef bundle, const char *tag);
LLVMOperandBundleRef spgc_ir_call_bundle(LLVMValueRef call, const char *tag);
bool spgc_ir_call_has_bundle(LLVMValueRef call, const char *tag);
/* A function or call with "gc-leaf-function". */
bool spgc_ir_is_marked_leaf(LLVMValueRef value);
/* The call or callee has "gc-leaf-function", or the callee is an intrinsic but not a safepoint, or
 * is in ir/library.h. */
bool spgc_ir_call_is_leaf(LLVMValueRef call);
bool spgc_ir_is_safepoint(LLVMValueRef instruction);
bool spgc_ir_is_statepoint(LLVMValueRef instruction);
bool spgc_ir_function_calls_only_leaves(LLVMValueRef function);
bool spgc_ir_call_passes_reference(LLVMValueRef call);

/* Looks through address arithmetic and casts, but not phis. */
LLVMValueRef spgc_ir_underlying_object(LLVMValueRef pointer);
/* A constant contains no references to objects. */
bool spgc_ir_points_to_constant(LLVMValueRef pointer);
LLVMValueRef spgc_ir_underlying_alloca(LLVMValueRef pointer);
/* A word of spgc_thread, computed as in the prelude. */
bool spgc_ir_is_thread_word(LLVMValueRef address);
/* Whether it may point inside an object. Looks through phis and selects; results of calls, loaded
 * values and parameters are bases by contract. */
bool spgc_ir_is_derived(LLVMValueRef value);
bool spgc_ir_gives_object(LLVMValueRef value);
/* Address arithmetic gives an object's address from one, and a number from a number. */
bool spgc_ir_arithmetic_keeps_base(LLVMValueRef arithmetic);
/* The one value that it is computed from, on every path through phis and selects. NULL if there are
 * several, or it is a constant. References with one base are into one object. */
LLVMValueRef spgc_ir_only_base(LLVMValueRef reference);
/* A constant, an inttoptr, or address arithmetic on one. */
bool spgc_ir_is_never_an_object(LLVMValueRef reference);

#endif
