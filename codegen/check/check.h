/* The checker rejects everything that RS4GC would miscompile silently, or crash on. The message
 * gives place, problem and remedy.
 *
 * A rule says what must hold of one thing. The rules of a kind stand in a table, each with its
 * objection. A check returns the objection to a thing, or NULL.
 */
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
  struct objection objection; /* where it does not */
};
#define RULE(rule, ...)                                                                            \
  {                                                                                                \
    .holds = rule, .objection = { __VA_ARGS__ }                                                    \
  }

/* The objection of the first rule of a table that does not hold, or the first that several checks
 * have; or NULL. */
const struct objection *spgc_check_table(const struct rule *table, size_t count,
                                         LLVMValueRef value);
const struct objection *spgc_check_several(check_rule *const *checks, size_t count,
                                           LLVMValueRef value);
#define FIRST_OBJECTION(table, value)                                                              \
  spgc_check_table(table, sizeof(table) / sizeof *(table), value)
#define FIRST_OF(checks, value) spgc_check_several(checks, sizeof(checks) / sizeof *(checks), value)

/* Rejects each instruction of a module to which a rule objects. */
enum spgc_result spgc_check_each(LLVMModuleRef module, check_rule *rule, struct spgc_error *error);

/* Runs LLVM's own verifier. If it objects, returns `code` with its message on one line, after
 * `what`. */
enum spgc_result spgc_verify_module(LLVMModuleRef module, enum spgc_result code, const char *what,
                                    struct spgc_error *error);

/* The two halves of spgc_check_module. The first asks whether the module is valid IR, and of a
 * supported target. */
enum spgc_result spgc_check_form(LLVMModuleRef module, struct spgc_error *error);
enum spgc_result spgc_check_rules(LLVMModuleRef module, struct spgc_error *error);

/* Whether no rule would object to the unmanaged function, whose variables are promoted, if it were
 * managed: inlining may make it so. */
bool spgc_check_could_be_managed(LLVMValueRef function);

/* ---- Rules of functions and global variables ---- */

/* check_module.c; check_instruction.c: the types of parameters and results. */
enum spgc_result spgc_check_globals(LLVMModuleRef module, struct spgc_error *error);
check_rule spgc_check_function, spgc_check_types_of_function;
/* The reason why a function is refused: one of its calls, or the function itself. */
LLVMValueRef spgc_check_culprit(LLVMValueRef function, const struct objection *objection);

/* check_convention.c: frames and calling conventions of functions and calls. Conventions of the
 * Swift language have a register more for results. */
check_rule spgc_check_convention_of_function, spgc_check_convention_of_managed_call;
bool spgc_check_convention_is_swift(unsigned convention);

/* ---- Rules of instructions. Those of managed functions have the word in their names ---- */

/* check_instruction.c. An instruction that keeps a reference makes others take an interior pointer
 * for an object's address: it stores or returns one, or makes it a part of a structure. Managed
 * code calls leaves and functions without gc, and reads what they store. */
check_rule spgc_check_instruction, spgc_check_types, spgc_check_managed_instruction,
    spgc_check_kept_reference;

/* check_leaf_call.c: a leaf that is given an interior pointer must not give it back or store it,
 * because then it counts as an object's address. The callee's parameters must be promoted. */
check_rule spgc_check_leaf_call;

/* check_promoted.c: a local variable that promotion leaves in memory, and what is stored there. */
check_rule spgc_check_variable;

/* check_places.c: an access has the type that its place declares; the same for variables alone. */
check_rule spgc_check_places, spgc_check_places_in_variables;
/* The local variable that an access reads or writes, or one that it may; NULL if there is none. */
LLVMValueRef spgc_variable_of_access(LLVMValueRef instruction);

/* check_bits.c: what the integer that a reference is cast to may become, once variables are
 * promoted. */
check_rule spgc_check_bits;

/* ---- Rules of calls ---- */

/* check_module.c: what a call claims of the function that it names. check_call.c: calls that
 * become statepoints, also by a "deopt" bundle. check_frame.c: intrinsics that managed functions
 * may not call. check_intrinsic.c: intrinsics in any function. */
check_rule spgc_check_known_callee, spgc_check_managed_call, spgc_check_statepoint,
    spgc_check_frame, spgc_check_intrinsic;

/* check_call.c: bundles that only other collectors have. */
check_rule spgc_check_transition;

/* check_result.c: the results of calls that become statepoints have to fit registers. */
check_rule spgc_check_result_of_call;

/* check_sort.c: the C library sorts no references with a comparison that comes to safepoints. The
 * comparison's parameters must be promoted. */
check_rule spgc_check_sort;

/* check_second_return.c: calls like setjmp. */
bool spgc_check_call_returns_twice(LLVMValueRef call);
check_rule spgc_check_second_return;

/* check.c: each call that can come to a safepoint is a statepoint, in the end. */
check_rule spgc_check_lowered_call;

/* verify.c: the error that a stage left an instruction that breaks an invariant. */
enum spgc_result spgc_blame_stage(const struct lowering *lowering, LLVMValueRef instruction,
                                  const char *what, struct spgc_error *error);

/* Phases of the lowering, and what is verified behind stages. Variables must be promoted for
 * spgc_check_field_stores. */
lowering_phase spgc_check_descriptors, spgc_check_field_stores, spgc_check_variables,
    spgc_check_before_statepoints, spgc_check_relocated;
lowering_phase spgc_verify_form, spgc_verify_typed, spgc_verify_defined, spgc_verify_barriers;

#endif
