/* The checker rejects everything that RS4GC would miscompile silently, or crash on. The message
 * gives place, problem and remedy.
 *
 * A rule looks at one thing and returns its objection, or NULL. The rules of a kind stand in a
 * table.
 */
#ifndef SPGC_CODEGEN_CHECK_CHECK_H
#define SPGC_CODEGEN_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "codegen/check/reject.h"
#include "codegen/ir/lowering.h"
#include "spgc/result.h"

typedef const struct objection *check_rule(LLVMValueRef value);

/* The objection of the first rule of a table that has one, or NULL. */
static inline const struct objection *spgc_check_first(check_rule *const rules[], size_t count,
                                                       LLVMValueRef value) {
  const struct objection *objection = NULL;
  for (size_t i = 0; objection == NULL && i < count; i++)
    objection = rules[i](value);
  return objection;
}
#define FIRST_OBJECTION(rules, value)                                                              \
  spgc_check_first(rules, sizeof(rules) / sizeof *(rules), value)

/* Runs LLVM's own verifier. If it objects, returns `code` with its message on one line, after
 * `what`. */
enum spgc_result spgc_verify_module(LLVMModuleRef module, enum spgc_result code, const char *what,
                                    struct spgc_error *error);

/* The two halves of spgc_check_module. The first sees to it that LLVM can read the module: its
 * metadata, whether it is valid IR, and of a supported target. */
enum spgc_result spgc_check_form(LLVMModuleRef module, struct spgc_error *error);
enum spgc_result spgc_check_rules(LLVMModuleRef module, struct spgc_error *error);

/* Whether no rule would object to the unmanaged function, whose variables are promoted, if it were
 * managed: inlining may make it so. */
bool spgc_check_could_be_managed(LLVMValueRef function);

/* The objection to scalable vectors: LLVM ends the process for processors without them when it
 * meets one. */
extern const struct objection spgc_scalable_vector;

/* check_module.c: rules for global variables, and for functions as wholes. */
enum spgc_result spgc_check_globals(LLVMModuleRef module, struct spgc_error *error);
const struct objection *spgc_check_function(LLVMValueRef function);
/* Those of the rules for functions that ask whether the function is managed. */
const struct objection *spgc_check_managed_function(LLVMValueRef function);
/* What a call, in any function, claims of the function that it names. */
const struct objection *spgc_check_known_callee(LLVMValueRef instruction);

/* check_frame.c: calls in managed functions that leave the frame or move the stack pointer. */
const struct objection *spgc_check_frame(LLVMValueRef call);

/* check_instruction.c: rules for single instructions; those of the second kind hold only in managed
 * functions. */
const struct objection *spgc_check_instruction(LLVMValueRef instruction);
const struct objection *spgc_check_managed_instruction(LLVMValueRef instruction);
/* An instruction that makes others take an interior pointer for an object's address: it stores or
 * returns one, or makes it a part of a structure. The rule holds in leaves and in functions without
 * gc, too, because managed code calls them and reads what they store. */
const struct objection *spgc_check_kept_reference(LLVMValueRef instruction);

/* check_call.c: rules for calls in managed functions. */
const struct objection *spgc_check_managed_call(LLVMValueRef call);
/* Rules for a call with a "deopt" bundle, in any function. */
const struct objection *spgc_check_deoptimisation(LLVMValueRef call);

/* check_leaf_call.c: a leaf that is given an interior pointer must not give it back or store it,
 * because then it counts as an object's address. Holds in functions without gc, too. The callee's
 * parameters must be promoted. */
const struct objection *spgc_check_leaf_call(LLVMValueRef call);
/* Nor may a function without gc that stores one in a variable that stays in memory. */
const struct objection *spgc_check_kept_in_variable(LLVMValueRef instruction);

/* A musttail call and its function must have the same attributes of their results, in unmanaged
 * functions, too. */
const struct objection *spgc_tail_calls_return_alike(LLVMValueRef call);

/* check_convention.c: rules for calling conventions of all functions and calls, unmanaged ones
 * included. */
const struct objection *spgc_check_convention_of_function(LLVMValueRef function);
const struct objection *spgc_check_convention_of_call(LLVMValueRef call);
const struct objection *spgc_check_convention_of_managed_call(LLVMValueRef call);
/* Conventions of the Swift language have a register more for results. */
bool spgc_check_convention_is_swift(unsigned convention);

/* check_result.c: the results of calls that become statepoints have to fit registers. A call that
 * LLVM may take for one of the C library, and so for no safepoint, is judged when it is a
 * statepoint. */
const struct objection *spgc_check_result_of_call(LLVMValueRef call);
/* Judges such a call, too. */
const struct objection *spgc_check_result_if_statepoint(LLVMValueRef call);
const struct objection *spgc_check_result_of_statepoint(LLVMValueRef statepoint);

/* check_intrinsic.c: rules for calls of intrinsics, in unmanaged functions, too. */
const struct objection *spgc_check_intrinsic(LLVMValueRef call);

/* check_metadata.c: rules for metadata that LLVM reads unchecked; they run before its verifier. */
enum spgc_result spgc_check_metadata(LLVMModuleRef module, struct spgc_error *error);
const struct objection *spgc_check_section_prefix(LLVMValueRef function);

/* check_emission.c: rules for IR that only the code generator would refuse, unmanaged functions
 * included. */
const struct objection *spgc_check_emission_of_variable(LLVMValueRef variable);
const struct objection *spgc_check_emission_of_function(LLVMValueRef function);
const struct objection *spgc_check_emission_of_instruction(LLVMValueRef instruction);

/* check_sort.c: the C library sorts no references with a comparison that comes to safepoints, in
 * unmanaged functions, too. The comparison's parameters must be promoted. */
const struct objection *spgc_check_sort(LLVMValueRef call);

/* check_second_return.c: rules for calls like setjmp. */
bool spgc_check_call_returns_twice(LLVMValueRef call);
const struct objection *spgc_check_second_return(LLVMValueRef instruction);

/* check_places.c: an access has the type that its place declares. */
const struct objection *spgc_check_places(LLVMValueRef instruction);
/* The local variable that an access reads or writes, or one that it may; NULL if there is none. */
LLVMValueRef spgc_variable_of_access(LLVMValueRef instruction);
/* The same for variables alone. */
const struct objection *spgc_check_places_in_variables(LLVMValueRef instruction);

/* check_bits.c: what the integer that a reference is cast to may become. Variables must be
 * promoted. */
const struct objection *spgc_check_bits(LLVMValueRef instruction);

/* check_promoted.c: rules for variables that promotion leaves in memory, and for structures as
 * whole values. */
const struct objection *spgc_check_variable(LLVMValueRef alloca, LLVMValueRef *culprit);
/* A structure that lives across a safepoint as a whole. */
const struct objection *spgc_check_aggregate(LLVMValueRef value);
/* The same before the optimiser runs: only one with too many parts to be taken apart. */
const struct objection *spgc_check_large_aggregate(LLVMValueRef value);

/* Phases of the lowering: the rules of check.c and its kin that hold behind a stage, and what is
 * verified behind each one. Variables must be promoted for spgc_check_field_stores. */
lowering_phase spgc_check_allocators, spgc_check_descriptors, spgc_check_field_stores,
    spgc_check_variables, spgc_check_before_statepoints, spgc_check_lowered, spgc_check_relocated;
lowering_phase spgc_verify_read, spgc_verify_promoted, spgc_verify_typed, spgc_verify_expanded,
    spgc_verify_relocated, spgc_verify_finished;

#endif
