/* Finds all that the lowering would refuse, instead of the first.
 *
 * While the phases of the lowering run, rejections are heard and the checks go on. A function in
 * which something was found takes no part in the next phases, because each phase relies on the
 * checks before it: its body becomes `unreachable`. What has no body, such as a global variable,
 * cannot be taken out, so the lint ends after the phase that finds something there. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>

#include "codegen/check/check.h"
#include "codegen/emit/target.h"
#include "codegen/ir/diagnostics.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

static const char leaf[] = "gc-leaf-function";

struct lint {
  struct reject_listener listener; /* first, so that the listener's address is the lint's */
  spgc_lint_function *report;
  void *context;
  struct values flawed; /* functions with a body, since the last phase */
  bool is_beyond_functions;
  bool has_found;
};

static void tell(struct lint *lint, const struct spgc_error *finding) {
  lint->has_found = true;
  lint->report(finding, lint->context);
}

static void hear(struct reject_listener *listener, LLVMValueRef culprit,
                 const struct spgc_error *error) {
  struct lint *lint = (struct lint *)listener;
  tell(lint, error);
  if (!LLVMIsAFunction(culprit) || LLVMIsDeclaration(culprit))
    lint->is_beyond_functions = true;
  else
    spgc_values_add_new(&lint->flawed, culprit);
}

/* Another function takes its place, whose body is `unreachable`. It is a definition, because
 * aliases and comdats need one. It has what calls are judged by: the attributes of its parameters,
 * whether it is a leaf, and whether it returns twice; and the name, unless that would be taken for
 * one of the runtime's functions. */
static void take_out(LLVMValueRef function) {
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  bool renames = spgc_ir_name_starts_with(function, "spgc");
  char *name = strdup(renames ? "lint.renamed" : LLVMGetValueName(function));
  spgc_require(name != NULL, "out of memory");
  LLVMValueRef other = LLVMAddFunction(module, "", LLVMGlobalGetValueType(function));
  LLVMSetLinkage(other, LLVMGetLinkage(function));
  LLVMSetFunctionCallConv(other, LLVMGetFunctionCallConv(function));
  LLVMSetGC(other, LLVMGetGC(function));
  LLVMSetComdat(other, LLVMGetComdat(function));
  spgc_ir_copy_attributes_of_types(function, other);
  if (spgc_ir_function_is_leaf(function))
    spgc_ir_add_string(other, leaf);
  if (spgc_ir_has_attribute(function, "returns_twice"))
    spgc_ir_add_attribute(other, "returns_twice");
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, other, ""));
  LLVMBuildUnreachable(builder);
  LLVMDisposeBuilder(builder);
  LLVMReplaceAllUsesWith(function, other);
  LLVMDeleteFunction(function);
  LLVMSetValueName2(other, name, strlen(name));
  free(name);
}

/* Whether the next phase can run. */
static bool goes_on(void *context, enum spgc_result result, const struct spgc_error *error) {
  struct lint *lint = context;
  if (result == SPGC_ERROR_REJECTED)
    tell(lint, error); /* it is about the module as a whole */
  for (unsigned i = 0; i < lint->flawed.count; i++)
    take_out(lint->flawed.at[i]);
  lint->flawed.count = 0;
  return result == SPGC_OK && !lint->is_beyond_functions;
}

/* A module that defines functions, and holds nothing that a rule could be about. */
static bool lacks_references(LLVMModuleRef module) {
  bool defines = false;
  IR_EACH_GLOBAL (variable, module)
    if (spgc_ir_is_reference(variable) ||
        spgc_ir_type_contains_reference(LLVMGlobalGetValueType(variable)))
      return false;
  IR_EACH_FUNCTION (function, module) {
    if (LLVMIsDeclaration(function))
      continue;
    defines = true;
    if (spgc_ir_function_uses_references(function))
      return false;
  }
  return defines;
}

static void tell_of_none(struct lint *lint) {
  struct spgc_error none;
  spgc_error_set(&none, SPGC_ERROR_REJECTED, 0,
                 "no reference was found, so there was nothing to check; a reference is written "
                 "`ptr addrspace(1)`, and in C `struct node SPGC_MANAGED *` (spgc/managed.h)");
  tell(lint, &none);
}

static enum spgc_result run_phases(struct lint *lint, struct lowering *lowering,
                                   struct spgc_error *error) {
  struct diagnostics diagnostics;
  spgc_diagnostics_catch(&diagnostics, LLVMGetModuleContext(lowering->module));
  enum spgc_result result = spgc_run_stages(lowering, goes_on, lint, error);
  enum spgc_result released = spgc_diagnostics_release(&diagnostics, SPGC_OK, error);
  if (result == SPGC_OK && released != SPGC_OK)
    tell(lint, error);
  return result;
}

static enum spgc_result run(struct lint *lint, struct lowering *lowering,
                            struct spgc_error *error) {
  bool lacks = lacks_references(lowering->module);
  enum spgc_result result = spgc_check_form(lowering->module, error);
  if (result == SPGC_OK)
    result = spgc_open_target(lowering, error);
  if (goes_on(lint, result, error)) {
    result = spgc_check_rules(lowering->module, error);
    if (goes_on(lint, result, error))
      result = run_phases(lint, lowering, error);
  }
  if (lacks && !lint->has_found && result == SPGC_OK)
    tell_of_none(lint);
  return result == SPGC_ERROR_REJECTED ? SPGC_OK : result;
}

enum spgc_result spgc_lint_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                  spgc_lint_function *report, void *context,
                                  struct spgc_error *error) {
  struct lint lint = {.listener = {hear}, .report = report, .context = context};
  struct spgc_lower_options quick;
  enum spgc_result result = spgc_lower_options_read(&quick, options, "spgc_lint_module", error);
  if (result == SPGC_OK)
    result = spgc_check_barriers(&quick, error);
  if (result != SPGC_OK)
    return result;
  quick.optimisation = 0; /* what is legal does not depend on the level */
  struct lowering lowering = {.module = module, .options = &quick};
  struct spgc_error own; /* a message for `report`, where the caller wants none */
  struct reject_listener *before = spgc_reject_listen(&lint.listener);
  result = run(&lint, &lowering, &own);
  if (lowering.machine != NULL)
    LLVMDisposeTargetMachine(lowering.machine);
  spgc_reject_listen(before);
  if (result != SPGC_OK && error != NULL)
    *error = own;
  spgc_values_free(&lint.flawed);
  return result;
}
