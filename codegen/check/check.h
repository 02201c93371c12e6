/* The checker rejects everything that RS4GC would miscompile silently, or crash on. The message
 * gives place, problem and remedy.
 *
 * A rule states a condition. Rules of one kind are in a table, each with its objection. A check
 * returns an objection, or NULL. */
#ifndef SPGC_CODEGEN_CHECK_CHECK_H
#define SPGC_CODEGEN_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "codegen/check/refusal_place.h"
#include "codegen/ir/lowering.h"
#include "spgc/result.h"

typedef const struct objection *check_rule(LLVMValueRef value);

struct rule {
  bool (*holds)(LLVMValueRef value);
  struct objection objection; /* if it does not hold */
};
#define RULE(rule, ...)                                                                            \
  {                                                                                                \
    .holds = rule, .objection = { __VA_ARGS__ }                                                    \
  }

/* The objection of the first rule that is broken, or of the first of several checks; or NULL. */
const struct objection *spgc_check_table(const struct rule *table, size_t count,
                                         LLVMValueRef value);
const struct objection *spgc_check_several(check_rule *const *checks, size_t count,
                                           LLVMValueRef value);
#define FIRST_OBJECTION(table, value)                                                              \
  spgc_check_table(table, sizeof(table) / sizeof *(table), value)
#define FIRST_OF(checks, value) spgc_check_several(checks, sizeof(checks) / sizeof *(checks), value)

enum spgc_result spgc_check_each(LLVMModuleRef module, check_rule *rule, struct spgc_error *error);

/* Runs LLVM's own verifier. If it objects, returns `code` with its message on one line, after
 * `what`. */
enum spgc_result spgc_verify_module(LLVMModuleRef module, enum spgc_result code, const char *what,
                                    struct spgc_error *error);

/* The two halves of spgc_check_module. The first checks that the module is valid IR for a supported
 * target. */
enum spgc_result spgc_check_form(LLVMModuleRef module, struct spgc_error *error);
enum spgc_result spgc_check_rules(LLVMModuleRef module, struct spgc_error *error);

/* True if no rule would object to this unmanaged function, whose variables are promoted, if
 * inlining made it managed. */
bool spgc_check_could_be_managed(LLVMValueRef function);

/* ---- Rules of functions and global variables ---- */

/* check_module.c; check_instruction.c: the types of parameters and results. */
enum spgc_result spgc_check_globals(LLVMModuleRef module, struct spgc_error *error);
check_rule spgc_check_function, spgc_check_types_of_function;
/* Why a function is refused: one of its calls, or the function itself. */
LLVMValueRef spgc_check_culprit(LLVMValueRef function, const struct objection *objection);

/* check_convention.c: frames and calling conventions of functions and calls. Swift's conventions
 * have one more result register. */
check_rule spgc_check_convention_of_function, spgc_check_convention_of_managed_call;
bool spgc_check_convention_is_swift(unsigned convention);

/* ---- Rules of instructions. Those of managed functions have the word in their names ---- */

/* check_instruction.c. An instruction "keeps" a reference if others then take an interior pointer
 * for an object's address: it stores or returns the pointer, or puts it into a structure. Managed
 * code calls leaves and functions without gc, and reads what they store. */
check_rule spgc_check_instruction, spgc_check_types, spgc_check_managed_instruction,
    spgc_check_kept_reference;

/* check_leaf_call.c: a leaf that is given an interior pointer must not return or store it, because
 * it would count as an object's address. The callee's parameters must be promoted. */
check_rule spgc_check_leaf_call;

/* check_promoted.c: local variables that promotion leaves in memory, and stores into them. */
check_rule spgc_check_variable;

/* check_places.c: an access has the type that is declared for its place; the second rule is for
 * variables alone. */
check_rule spgc_check_places, spgc_check_places_in_variables;
/* The local variable that an access reads or writes, or may; or NULL. */
LLVMValueRef spgc_variable_of_access(LLVMValueRef instruction);

/* check_bits.c: the integer that a reference is cast to, once variables are promoted. */
check_rule spgc_check_bits;

/* ---- Rules of calls ---- */

/* check_module.c: what a call claims about its callee. check_call.c: calls that become statepoints,
 * "deopt" bundles included. check_frame.c: intrinsics that managed functions may not call.
 * check_intrinsic.c: intrinsics in any function. */
check_rule spgc_check_known_callee, spgc_check_managed_call, spgc_check_statepoint,
    spgc_check_frame, spgc_check_intrinsic;

/* check_call.c: bundles that only other collectors use. */
check_rule spgc_check_transition;

/* check_result.c: results of calls that become statepoints must fit registers. */
check_rule spgc_check_result_of_call;

/* check_sort.c: the C library must not sort references with a comparison that reaches safepoints.
 * The comparison's parameters must be promoted. */
check_rule spgc_check_sort;

/* check_second_return.c: calls like setjmp. */
bool spgc_check_call_returns_twice(LLVMValueRef call);
check_rule spgc_check_second_return;

/* check.c: in the end, each call that can reach a safepoint is a statepoint. */
check_rule spgc_check_lowered_call;

/* verify.c: the error for a stage that left an instruction that breaks an invariant. */
enum spgc_result spgc_blame_stage(const struct lowering *lowering, LLVMValueRef instruction,
                                  const char *what, struct spgc_error *error);

/* Phases of the lowering, and what is verified after stages. spgc_check_field_stores needs promoted
 * variables. */
lowering_phase spgc_check_descriptors, spgc_check_field_stores, spgc_check_variables,
    spgc_check_before_statepoints, spgc_check_relocated;
lowering_phase spgc_verify_form, spgc_verify_typed, spgc_verify_defined, spgc_verify_barriers;

#endif
