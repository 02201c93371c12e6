#include "codegen/ir/lowering.h"

#include <llvm-c/Transforms/PassBuilder.h>

#include <string.h>

#include "codegen/ir/prelude.h"
#include "support/fatal.h"
#include "support/sized.h"

static const char lowered[] = PRELUDE_PREFIX "lowered"; /* named metadata */

void spgc_lower_options_initialise(struct spgc_lower_options *options) {
  const struct spgc_lower_options defaults = {.code = SPGC_CODE_AHEAD_OF_TIME,
                                              .polls = SPGC_POLLS_ENTRIES_AND_LOOPS,
                                              .optimisation = 2,
                                              .inline_recursion = true,
                                              .leaf_entries = true};
  spgc_require(options != NULL, "spgc_lower_options_default: no options are given");
  spgc_sized_write(options, &defaults, sizeof defaults, "spgc_lower_options_default");
}

static bool enumerations_hold(const struct spgc_lower_options *options) {
  return options->code <= SPGC_CODE_JIT && options->polls <= SPGC_POLLS_LOOPS &&
         options->barriers <= SPGC_BARRIERS_NONE;
}

enum spgc_result spgc_lower_options_read(struct spgc_lower_options *known,
                                         const struct spgc_lower_options *given, const char *caller,
                                         struct spgc_error *error) {
  spgc_require(given != NULL, "%s: no options are given", caller);
  spgc_lower_options_default(known);
  enum spgc_result result = spgc_sized_read(known, sizeof *known, given, caller, error);
  if (result == SPGC_OK && !enumerations_hold(known))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "%s: code, polls or barriers is not one of its constants; begin "
                          "with spgc_lower_options_default",
                          caller);
  return result;
}

void spgc_mark_lowered(LLVMModuleRef module) {
  LLVMGetOrInsertNamedMetadata(module, lowered, strlen(lowered));
}

bool spgc_is_lowered(LLVMModuleRef module) {
  return LLVMGetNamedMetadata(module, lowered, strlen(lowered)) != NULL;
}

void spgc_run_passes(struct lowering *lowering, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef failed = LLVMRunPasses(lowering->module, passes, lowering->machine, options);
  spgc_require(failed == NULL, "%s: %s", passes, LLVMGetErrorMessage(failed));
  LLVMDisposePassBuilderOptions(options);
}
