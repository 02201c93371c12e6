/* Rules for global variables, and for functions as wholes. */
#include "codegen/check/check.h"

#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/library.h"
#include "codegen/ir/prelude.h"

static const struct objection *no_thread_local_references(LLVMValueRef variable) {
  static const struct objection objection = {
      23, "references in thread-local variables are no roots",
      "keep them in a handle (spgc/handle.h) or in an ordinary global"};
  bool holds = LLVMIsThreadLocal(variable) &&
               spgc_ir_type_contains_reference(LLVMGlobalGetValueType(variable));
  return holds ? &objection : NULL;
}

static const struct objection *no_variables_among_objects(LLVMValueRef variable) {
  static const struct objection objection = {
      24,
      "a variable in addrspace(1) is no object of the heap, and a store into it would mark a card "
      "that does not exist",
      "declare it in address space 0, or constant"};
  bool among = LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == IR_REFERENCE_ADDRESS_SPACE;
  return among && !LLVMIsGlobalConstant(variable) ? &objection : NULL;
}

static const struct objection *no_reserved_name(LLVMValueRef global) {
  static const struct objection objection = {
      37, "names that start with \"spgc.\" are the lowering's own", "rename it"};
  return spgc_ir_name_starts_with(global, PRELUDE_PREFIX) ? &objection : NULL;
}

/* Code of the lowering refers to these by name. A definition of the module would take their place,
 * in this module alone if it is internal. */
static const struct objection *runtime_is_defined_elsewhere(LLVMValueRef global) {
  static const struct objection objection = {
      37, "the runtime's function has another type, or is defined here", "rename it"};
  static const char *const functions[] = {
      "spgc_allocate",      "spgc_allocate_array", "spgc_poll",        "spgc_stack_low",
      "spgc_allocate_slow", "spgc_poll_slow",      "spgc_module_load", "spgc_module_unload",
      "spgc_call_blocking", "spgc_check_number",   "spgc_check_words", "spgc_check_copy"};
  static const char *const others[] = {"spgc_thread", "__LLVM_StackMaps"};
  if (IR_NAME_IS_AMONG(global, functions))
    return LLVMIsAFunction(global) && LLVMIsDeclaration(global) ? NULL : &objection;
  if (!IR_NAME_IS_AMONG(global, others))
    return NULL;
  bool declared = LLVMIsAGlobalVariable(global) && LLVMIsDeclaration(global);
  bool is_thread = declared && LLVMIsThreadLocal(global);
  return is_thread || (declared && !spgc_ir_name_is(global, others[0])) ? NULL : &objection;
}

static enum spgc_result check_name(LLVMValueRef global, struct spgc_error *error) {
  static check_rule *const rules[] = {no_reserved_name, runtime_is_defined_elsewhere};
  const struct objection *objection = FIRST_OBJECTION(rules, global);
  return objection == NULL ? SPGC_OK : spgc_reject_global(global, objection, error);
}

static enum spgc_result check_second_names(LLVMModuleRef module, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (LLVMValueRef alias = LLVMGetFirstGlobalAlias(module); alias != NULL && result == SPGC_OK;
       alias = LLVMGetNextGlobalAlias(alias))
    result = check_name(alias, error);
  for (LLVMValueRef chosen = LLVMGetFirstGlobalIFunc(module); chosen != NULL && result == SPGC_OK;
       chosen = LLVMGetNextGlobalIFunc(chosen))
    result = check_name(chosen, error);
  return result;
}

enum spgc_result spgc_check_globals(LLVMModuleRef module, struct spgc_error *error) {
  static check_rule *const rules[] = {no_thread_local_references, no_variables_among_objects,
                                      no_reserved_name, runtime_is_defined_elsewhere,
                                      spgc_check_emission_of_variable};
  IR_EACH_GLOBAL (variable, module)
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
      const struct objection *objection = rules[i](variable);
      if (objection != NULL && spgc_reject_global(variable, objection, error) != SPGC_OK)
        return SPGC_ERROR_REJECTED;
    }
  return check_second_names(module, error);
}

/* The safepoints first. */
enum { RUNTIME_SAFEPOINTS = 3 };
static const char *const runtime[] = {"spgc_allocate", "spgc_allocate_array", "spgc_poll",
                                      "spgc_stack_low"};

static LLVMTypeRef runtime_type(LLVMContextRef context, const char *name) {
  LLVMTypeRef reference = LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE);
  LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(context, 0),
                              LLVMInt64TypeInContext(context)};
  if (strcmp(name, "spgc_allocate") == 0)
    return LLVMFunctionType(reference, parameters, 1, false);
  if (strcmp(name, "spgc_allocate_array") == 0)
    return LLVMFunctionType(reference, parameters, 2, false);
  if (strcmp(name, "spgc_poll") == 0)
    return LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  return LLVMFunctionType(LLVMInt1TypeInContext(context), NULL, 0, false);
}

static bool is_safepoint_of_runtime(LLVMValueRef function) {
  return spgc_ir_name_is_among(function, runtime, RUNTIME_SAFEPOINTS);
}

static const struct objection *runtime_functions_as_declared(LLVMValueRef function) {
  static const struct objection objection = {
      37, "the runtime's function has another type, or is defined here",
      "declare ptr addrspace(1) @spgc_allocate(ptr), ptr addrspace(1) @spgc_allocate_array(ptr, "
      "i64), void @spgc_poll(), i1 @spgc_stack_low()"};
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  bool other =
      IR_NAME_IS_AMONG(function, runtime) &&
      (!LLVMIsDeclaration(function) ||
       LLVMGlobalGetValueType(function) != runtime_type(context, LLVMGetValueName(function)));
  return other ? &objection : NULL;
}

static const struct objection *runtime_is_called_as_declared(LLVMValueRef call) {
  static const struct objection objection = {
      37, "the runtime's function is called with another type than it is declared with",
      "call it with its own parameters and result"};
  LLVMValueRef callee = spgc_ir_callee(call);
  bool other = callee != NULL && IR_NAME_IS_AMONG(callee, runtime) &&
               LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(callee);
  return other ? &objection : NULL;
}

/* The mark of the lowering itself, at tail calls, stays with calls that leave no frame behind. */
static const struct objection *leaf_is_not_managed(LLVMValueRef call) {
  static const struct objection objection = {
      26, "a call of a managed function is marked as a leaf, and the function reaches safepoints",
      "remove \"gc-leaf-function\" from the call"};
  static const char leaf[] = "gc-leaf-function";
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee == NULL || spgc_ir_call_is_musttail(call) ||
      LLVMGetCallSiteStringAttribute(call, IR_ON_FUNCTION, leaf, sizeof leaf - 1) == NULL)
    return NULL;
  return spgc_ir_function_is_managed(callee) || is_safepoint_of_runtime(callee) ? &objection : NULL;
}

static const struct objection *library_gives_no_places(LLVMValueRef call) {
  static const struct objection objection = {
      1, "a function of the C library gives a pointer into an object, which nobody updates",
      "call a leaf of your own that returns a position, or use llvm.memcpy, llvm.memmove and "
      "llvm.memset"};
  return spgc_ir_calls_finder_of_library(call) ? &objection : NULL;
}

static const struct objection *known_strategy(LLVMValueRef function) {
  static const struct objection objection = {27, "the gc strategy is not one that gets statepoints",
                                             "use gc \"statepoint-example\""};
  const char *strategy = LLVMGetGC(function);
  bool known = strategy == NULL || strcmp(strategy, "statepoint-example") == 0 ||
               strcmp(strategy, "coreclr") == 0;
  return known ? NULL : &objection;
}

/* The lowering adds the instrumentation's calls. */
static bool is_instrumented(LLVMValueRef function) {
  for (size_t i = 0; i < INSTRUMENTATIONS; i++)
    if (spgc_ir_function_string(function, spgc_instrumentations[i]) != NULL)
      return true;
  return false;
}

static bool makes_unknown_call(LLVMValueRef function) {
  return is_instrumented(function) || !spgc_ir_function_calls_only_leaves(function);
}

static const struct objection *references_are_managed(LLVMValueRef function) {
  static const struct objection objection = {
      26,
      "it uses references across calls and has no gc attribute, so its calls would get no "
      "statepoints",
      "give it gc \"statepoint-example\" (spgc-lower --gc=always), or mark its calls "
      "\"gc-leaf-function\" if none reaches a safepoint"};
  if (LLVMIsDeclaration(function) || spgc_ir_function_is_managed(function) ||
      spgc_ir_function_is_leaf(function))
    return NULL;
  return makes_unknown_call(function) && spgc_ir_function_uses_references(function) ? &objection
                                                                                    : NULL;
}

static bool calls_managed(LLVMValueRef function) {
  IR_EACH_INSTRUCTION_OF (instruction, function) {
    LLVMValueRef callee = spgc_ir_is_call(instruction) && !spgc_ir_call_is_leaf(instruction)
                              ? spgc_ir_callee(instruction)
                              : NULL;
    if (callee != NULL && (spgc_ir_function_is_managed(callee) || is_safepoint_of_runtime(callee)))
      return true;
  }
  return false;
}

/* Callers rely on it that a leaf reaches no safepoint, and a managed function may get polls.
 * Unknown functions may be leaves where no reference is in sight. */
static const struct objection *leaf_reaches_no_safepoint(LLVMValueRef function) {
  static const struct objection managed = {
      26, "a leaf has a gc attribute, so it would get safepoints of which its callers know nothing",
      "remove gc, or \"gc-leaf-function\""};
  static const struct objection calls = {
      26, "a leaf makes calls that may reach safepoints, of which its callers know nothing",
      "remove \"gc-leaf-function\" (in C, SPGC_LEAF), or mark its calls so if none reaches a "
      "safepoint"};
  if (LLVMIsDeclaration(function) || !spgc_ir_function_is_leaf(function))
    return NULL;
  if (spgc_ir_function_is_managed(function))
    return &managed;
  bool with_references = makes_unknown_call(function) && spgc_ir_function_uses_references(function);
  return with_references || calls_managed(function) ? &calls : NULL;
}

/* The memory holds references, and is no variable (sret); or an object's address is passed instead
 * of one on the stack. */
static bool memory_holds_references(LLVMAttributeRef attribute, const char *kind,
                                    LLVMValueRef pointer) {
  return attribute != NULL && LLVMIsTypeAttribute(attribute) &&
         (spgc_ir_is_reference(pointer) ||
          (strcmp(kind, "sret") != 0 &&
           spgc_ir_type_contains_reference(LLVMGetTypeAttributeValue(attribute))));
}

static const char *const memory_kinds[] = {"byval", "sret", "inalloca", "preallocated", "byref"};

static const struct objection references_on_stack = {
    15, "a structure with references is passed in stack memory that the collector does not see",
    "pass its address, or the references as parameters of their own (in C, the fields one by one)"};

/* Of a function's parameters, or a call's arguments. */
static const struct objection *no_references_in_memory(LLVMValueRef value) {
  for (unsigned i = 0; i < spgc_ir_parameter_count(value); i++)
    for (size_t k = 0; k < sizeof memory_kinds / sizeof *memory_kinds; k++)
      if (memory_holds_references(spgc_ir_attribute_at(value, i + 1, memory_kinds[k]),
                                  memory_kinds[k], spgc_ir_parameter(value, i)))
        return &references_on_stack;
  return NULL;
}

const struct objection *spgc_check_known_callee(LLVMValueRef instruction) {
  static check_rule *const rules[] = {runtime_is_called_as_declared, leaf_is_not_managed,
                                      library_gives_no_places, no_references_in_memory};
  return spgc_ir_is_call(instruction) ? FIRST_OBJECTION(rules, instruction) : NULL;
}

const struct objection *spgc_check_function(LLVMValueRef function) {
  static check_rule *const rules[] = {
      no_reserved_name,
      runtime_functions_as_declared,
      runtime_is_defined_elsewhere,
      known_strategy,
      references_are_managed,
      leaf_reaches_no_safepoint,
      no_references_in_memory,
      spgc_check_types_of_function,
      spgc_check_convention_of_function,
      spgc_check_emission_of_function,
  };
  return FIRST_OBJECTION(rules, function);
}
