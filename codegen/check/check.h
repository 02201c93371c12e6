/* Rejects what RS4GC would miscompile silently, or crash on, with place, problem and remedy. A
 * check returns NULL or an objection. */
#ifndef SPGC_CODEGEN_CHECK_CHECK_H
#define SPGC_CODEGEN_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "codegen/check/refusal_place.h"
#include "codegen/ir/lowering.h"
#include "spgc/result.h"

typedef const struct objection *check_rule(LLVMValueRef value);

/* A rule objects unless `holds` returns true, or as `judge` does. */
struct rule {
  bool (*holds)(LLVMValueRef value);
  struct objection objection;
  check_rule *judge;
};
#define RULE(rule, ...)                                                                            \
  {                                                                                                \
    .holds = rule, .objection = { __VA_ARGS__ }                                                    \
  }
#define JUDGE(rule) {.judge = rule}

const struct objection *spgc_check_table(const struct rule *table, size_t count,
                                         LLVMValueRef value);
#define FIRST_OBJECTION(table, value)                                                              \
  spgc_check_table(table, sizeof(table) / sizeof *(table), value)

enum spgc_result spgc_check_each(LLVMModuleRef module, check_rule *rule, struct spgc_error *error);

/* If LLVM's verifier objects, returns `code` with `what` and its message on one line. */
enum spgc_result spgc_verify_module(LLVMModuleRef module, enum spgc_result code, const char *what,
                                    struct spgc_error *error);

/* The first half of spgc_check_module wants valid IR and a supported target. */
enum spgc_result spgc_check_form(LLVMModuleRef module, struct spgc_error *error);
enum spgc_result spgc_check_rules(LLVMModuleRef module, struct spgc_error *error);

/* Its variables must be promoted. */
bool spgc_check_could_be_managed(LLVMValueRef function);

enum spgc_result spgc_check_globals(LLVMModuleRef module, struct spgc_error *error);
check_rule spgc_check_function, spgc_check_types_of_function;
/* The call for which a function is refused, or the function. */
LLVMValueRef spgc_check_culprit(LLVMValueRef function, const struct objection *objection);

check_rule spgc_check_convention_of_function, spgc_check_convention_of_managed_call;
bool spgc_check_convention_is_swift(unsigned convention);

/* "Kept" is a pointer that is stored, returned or put into a structure: it counts as an object's
 * address. */
check_rule spgc_check_instruction, spgc_check_types, spgc_check_managed_instruction,
    spgc_check_kept_reference;

/* The callee's parameters must be promoted. */
check_rule spgc_check_leaf_call;

/* Variables that promotion leaves in memory. */
check_rule spgc_check_variable;

/* The second rule is for variables alone. */
check_rule spgc_check_places, spgc_check_places_in_variables;
LLVMValueRef spgc_variable_of_access(LLVMValueRef instruction);

/* The second needs promoted variables. */
check_rule spgc_check_descriptor, spgc_check_field_store;

/* Once variables are promoted. */
check_rule spgc_check_bits;

/* The third is for calls that become statepoints, the fourth for intrinsics in managed functions,
 * the last for intrinsics in any function. */
check_rule spgc_check_known_callee, spgc_check_managed_call, spgc_check_statepoint,
    spgc_check_frame, spgc_check_intrinsic;

/* Bundles that only other collectors use. */
check_rule spgc_check_transition;

check_rule spgc_check_result_of_call;

/* The C library must not sort references with a comparison that reaches safepoints. The
 * comparison's parameters must be promoted. */
check_rule spgc_check_sort;

bool spgc_check_call_returns_twice(LLVMValueRef call);
check_rule spgc_check_second_return;

/* Calls that can reach safepoints must be statepoints. */
check_rule spgc_check_lowered_call;

/* A stage broke an invariant. */
enum spgc_result spgc_blame_stage(const struct lowering *lowering, LLVMValueRef instruction,
                                  const char *what, struct spgc_error *error);

lowering_phase spgc_check_variables, spgc_check_before_statepoints, spgc_check_relocated;
lowering_phase spgc_verify_form, spgc_verify_typed, spgc_note_casts, spgc_verify_casts,
    spgc_verify_defined, spgc_verify_barriers;

#endif
