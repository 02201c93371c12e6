/* Rejections are recorded, and the phase or check continues. Each phase relies on the checks before
 * it, so the lint ends after the first that finds something. */
#include <stdbool.h>

#include "codegen/check/check.h"
#include "codegen/emit/target.h"
#include "codegen/ir/diagnostics.h"
#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

struct lint {
  struct reject_listener listener; /* first, so that both have one address */
  spgc_lint_report report;
  void *context;
  bool has_found;
};

static void tell(struct lint *lint, const struct spgc_error *finding) {
  lint->has_found = true;
  lint->report(lint->context, finding);
}

static void hear(struct reject_listener *listener, const struct spgc_error *error) {
  tell((struct lint *)listener, error);
}

static bool goes_on(void *context, enum spgc_result result, const struct spgc_error *error) {
  struct lint *lint = context;
  if (result == SPGC_ERROR_REJECTED)
    tell(lint, error);
  return result == SPGC_OK && !lint->has_found;
}

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
                                  spgc_lint_report report, void *context,
                                  struct spgc_error *error) {
  struct lint lint = {.listener = {hear}, .report = report, .context = context};
  struct spgc_lower_options quick;
  spgc_require_use(module != NULL && report != NULL, "no module or no function is given");
  enum spgc_result result = spgc_lower_options_read(&quick, options, "spgc_lint_module", error);
  if (result == SPGC_OK)
    result = spgc_check_barriers(&quick, error);
  if (result != SPGC_OK)
    return result;
  quick.optimisation = 0; /* legality does not depend on the level */
  quick.last_stage = NULL;
  struct lowering lowering = {.module = module, .options = &quick};
  struct spgc_error own; /* for a caller that wants no message */
  struct reject_listener *before = spgc_reject_listen(&lint.listener);
  result = run(&lint, &lowering, &own);
  if (lowering.machine != NULL)
    LLVMDisposeTargetMachine(lowering.machine);
  spgc_reject_listen(before);
  if (result != SPGC_OK && error != NULL)
    *error = own;
  return result;
}
