#include "codegen/check/check.h"

#include <llvm-c/Analysis.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/processor.h"
#include "support/fatal.h"

/* Checked after promotion, which shows a pointer's source: clang keeps parameters of inlined
 * functions and the saved stack pointer in variables. */
static bool waits_for_promotion(LLVMValueRef instruction) {
  LLVMValueRef pointer = NULL;
  if (!spgc_ir_is_call(instruction))
    pointer = spgc_write_of(instruction).address;
  else if (spgc_ir_is_intrinsic(instruction, "llvm.stackrestore"))
    pointer = LLVMGetArgOperand(instruction, 0);
  else if (LLVMGetNumOperandBundles(instruction) == 0)
    pointer = LLVMGetCalledValue(instruction);
  LLVMValueRef source = pointer != NULL ? spgc_ir_underlying_object(pointer) : NULL;
  return source != NULL && LLVMIsALoadInst(source) &&
         spgc_ir_underlying_alloca(LLVMGetOperand(source, 0)) != NULL;
}

const struct objection *spgc_check_table(const struct rule *table, size_t count,
                                         LLVMValueRef value) {
  const struct objection *objection = NULL;
  for (const struct rule *rule = table; objection == NULL && rule < table + count; rule++)
    objection = rule->judge != NULL  ? rule->judge(value)
                : rule->holds(value) ? NULL
                                     : &rule->objection;
  return objection;
}

enum form { FORM_AS_GIVEN, FORM_PROMOTED, FORM_OPTIMISED };

enum {
  OF_CALLS = 1 << 0,
  OF_OTHERS = 1 << 1,
  IF_READY = 1 << 2,
  IF_MANAGED = 1 << 3 | IF_READY,
  ONCE_PROMOTED = 1 << 4,
  BEFORE_OPTIMISER = 1 << 5,
};

static const struct {
  check_rule *rule;
  unsigned conditions;
} body_rules[] = {
    {spgc_check_instruction, 0},
    {spgc_check_types, 0},
    {spgc_check_second_return, OF_CALLS},
    {spgc_check_known_callee, OF_CALLS},
    {spgc_check_kept_reference, IF_READY},
    {spgc_check_leaf_call, OF_CALLS | ONCE_PROMOTED},
    {spgc_check_managed_instruction, IF_MANAGED},
    {spgc_check_variable, ONCE_PROMOTED},
    {spgc_check_convention_of_managed_call, OF_CALLS | IF_MANAGED},
    {spgc_check_statepoint, OF_CALLS | IF_READY},
    {spgc_check_frame, OF_CALLS | IF_MANAGED},
    {spgc_check_intrinsic, OF_CALLS},
    {spgc_check_sort, OF_CALLS | BEFORE_OPTIMISER},
    {spgc_check_managed_call, OF_CALLS | IF_MANAGED},
    {spgc_check_result_of_call, OF_CALLS | IF_MANAGED},
};

static const struct objection *judge(LLVMValueRef instruction, bool is_managed, enum form form) {
  const struct objection *objection = NULL;
  bool is_ready = form != FORM_AS_GIVEN || !waits_for_promotion(instruction);
  unsigned holds = (spgc_ir_is_call(instruction) ? OF_CALLS : OF_OTHERS) |
                   (is_ready ? IF_READY : 0) | (is_ready && is_managed ? IF_MANAGED : 0) |
                   (form != FORM_AS_GIVEN ? ONCE_PROMOTED : 0) |
                   (form != FORM_OPTIMISED ? BEFORE_OPTIMISER : 0);
  for (size_t i = 0; objection == NULL && i < sizeof body_rules / sizeof *body_rules; i++)
    if ((body_rules[i].conditions & ~holds) == 0)
      objection = body_rules[i].rule(instruction);
  return objection;
}

static enum spgc_result check_body(LLVMValueRef function, enum form form,
                                   struct spgc_error *error) {
  bool is_managed = spgc_ir_function_is_managed(function);
  IR_EACH_INSTRUCTION_OF (instruction, function) {
    const struct objection *objection = judge(instruction, is_managed, form);
    if (objection != NULL &&
        spgc_reject(instruction, spgc_variable_of_access(instruction), objection, error) != SPGC_OK)
      return SPGC_ERROR_REJECTED;
  }
  return SPGC_OK;
}

static enum spgc_result check_functions(LLVMModuleRef module, enum form form,
                                        struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL && result == SPGC_OK;
       function = LLVMGetNextFunction(function)) {
    bool is_given = form == FORM_AS_GIVEN;
    const struct objection *objection = is_given ? spgc_check_function(function) : NULL;
    if (objection != NULL)
      result = spgc_reject(spgc_check_culprit(function, objection), NULL, objection, error);
    else if (is_given ? !spgc_ir_function_vanishes(function)
                      : form == FORM_PROMOTED || spgc_ir_function_is_managed(function))
      result = check_body(function, form, error);
  }
  return result;
}

enum spgc_result spgc_check_each(LLVMModuleRef module, check_rule *rule, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, module)
    IR_EACH_INSTRUCTION_OF (instruction, function) {
      const struct objection *objection = rule(instruction);
      if (objection != NULL && spgc_reject(instruction, spgc_variable_of_access(instruction),
                                           objection, error) != SPGC_OK)
        return SPGC_ERROR_REJECTED;
    }
  return SPGC_OK;
}

enum spgc_result spgc_verify_module(LLVMModuleRef module, enum spgc_result code, const char *what,
                                    struct spgc_error *error) {
  char *message = NULL;
  enum spgc_result result = SPGC_OK;
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
    result = spgc_error_set(error, code, 0, "%s: %s", what, message);
  LLVMDisposeMessage(message);
  return result;
}

enum spgc_result spgc_check_form(LLVMModuleRef module, struct spgc_error *error) {
  enum spgc_result result =
      spgc_verify_module(module, SPGC_ERROR_MALFORMED, "the module is not valid IR", error);
  const char *triple = LLVMGetTarget(module);
  if (result == SPGC_OK && spgc_is_lowered(module)) {
    result =
        spgc_error_set(error, SPGC_ERROR_REJECTED, 0,
                       "the module was lowered already; lower the frontend's own module, once");
    if (error != NULL)
      error->rule = 28;
  }
  if (result == SPGC_OK && *triple != '\0' && spgc_processor_of_triple(triple) == NULL)
    result = spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                            "the module is for %.80s, which is not supported; give %s", triple,
                            spgc_supported_triples);
  return result;
}

enum spgc_result spgc_check_rules(LLVMModuleRef module, struct spgc_error *error) {
  enum spgc_result result = spgc_check_globals(module, error);
  if (result == SPGC_OK)
    result = check_functions(module, FORM_AS_GIVEN, error);
  return result;
}

enum spgc_result spgc_check_module(LLVMModuleRef module, struct spgc_error *error) {
  spgc_require_use(module != NULL, "no module is given");
  enum spgc_result result = spgc_check_form(module, error);
  return result == SPGC_OK ? spgc_check_rules(module, error) : result;
}

enum spgc_result spgc_check_variables(struct lowering *lowering, struct spgc_error *error) {
  return check_functions(lowering->module, FORM_PROMOTED, error);
}

static bool results_fit(LLVMValueRef function) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_call(instruction) && spgc_check_result_of_call(instruction) != NULL)
      return false;
  return true;
}

/* The function is managed during the check, because rules test that. */
bool spgc_check_could_be_managed(LLVMValueRef function) {
  struct reject_listener *listener = spgc_reject_listen(NULL);
  LLVMSetGC(function, "statepoint-example");
  bool could = spgc_check_convention_of_function(function) == NULL && results_fit(function) &&
               check_body(function, FORM_PROMOTED, NULL) == SPGC_OK;
  LLVMSetGC(function, NULL);
  spgc_reject_listen(listener);
  return could;
}

/* Inlining may combine harmless parts into harmful code, so the first rules run again. */
enum spgc_result spgc_check_before_statepoints(struct lowering *lowering,
                                               struct spgc_error *error) {
  return check_functions(lowering->module, FORM_OPTIMISED, error);
}

static const struct objection missed_call = {
    37, "the call did not become a statepoint, so a collection during it would lose references",
    "mark it \"gc-leaf-function\" if it cannot reach a safepoint, or rename the function it calls"};
static const struct objection scattered = {
    45, "a scatter stores references, and there is no write barrier for scatters",
    "optimise less or for a processor without scatters"};

/* RS4GC has its own list of C library functions that it treats as leaves. */
const struct objection *spgc_check_lowered_call(LLVMValueRef call) {
  if (!spgc_ir_is_call(call) || !spgc_ir_function_is_managed(spgc_ir_function_of(call)))
    return NULL;
  if (spgc_ir_is_intrinsic(call, "llvm.masked.scatter.") &&
      spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetOperand(call, 0))))
    return &scattered;
  return spgc_ir_is_statepoint(call) || spgc_ir_call_is_leaf(call) ? NULL : &missed_call;
}
