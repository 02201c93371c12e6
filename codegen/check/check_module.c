#include "codegen/check/check.h"

#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/library.h"
#include "codegen/ir/prelude.h"

static bool no_thread_local_references(LLVMValueRef variable) {
  return !LLVMIsThreadLocal(variable) ||
         !spgc_ir_type_contains_reference(LLVMGlobalGetValueType(variable));
}

static bool no_variables_among_objects(LLVMValueRef variable) {
  bool among = LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == IR_REFERENCE_ADDRESS_SPACE;
  return !among || LLVMIsGlobalConstant(variable);
}

static bool no_reserved_name(LLVMValueRef global) {
  return !spgc_ir_name_starts_with(global, PRELUDE_PREFIX);
}

enum { RUNTIME_SAFEPOINTS = 3, RUNTIME_TYPED = 6 };
static const char *const runtime[] = {
    "spgc_allocate",      "spgc_allocate_array", "spgc_poll",         "spgc_stack_low",
    "spgc_call_blocking", "spgc_exception",      "spgc_module_load",  "spgc_module_unload",
    "spgc_allocate_slow", "spgc_poll_slow",      "spgc_check_number", "spgc_check_words",
    "spgc_check_copy"};

/* A definition in the module would replace the runtime's. */
static bool runtime_is_defined_elsewhere(LLVMValueRef global) {
  static const char *const others[] = {"spgc_thread", "__LLVM_StackMaps"};
  if (IR_NAME_IS_AMONG(global, runtime))
    return LLVMIsAFunction(global) && LLVMIsDeclaration(global);
  if (!IR_NAME_IS_AMONG(global, others))
    return true;
  bool declared = LLVMIsAGlobalVariable(global) && LLVMIsDeclaration(global);
  bool is_thread = declared && LLVMIsThreadLocal(global);
  return is_thread || (declared && !spgc_ir_name_is(global, others[0]));
}

static const struct rule global_rules[] = {
    RULE(no_reserved_name, 37, "names that start with \"spgc.\" are reserved for the lowering",
         "rename it"),
    RULE(runtime_is_defined_elsewhere, 37,
         "the runtime's function has another type, or is defined here", "rename it"),
};

static const struct objection *check_global(LLVMValueRef global) {
  return FIRST_OBJECTION(global_rules, global);
}

static const struct rule variable_rules[] = {
    RULE(no_thread_local_references, 23, "references in thread-local variables are not roots",
         "keep them in a handle (spgc/handle.h) or in an ordinary global"),
    RULE(no_variables_among_objects, 24,
         "a variable in addrspace(1) is not an object of the heap, and a store into it would mark "
         "a card that does not exist",
         "declare it in address space 0, or constant"),
};

static const struct objection *check_variable(LLVMValueRef variable) {
  return FIRST_OBJECTION(variable_rules, variable);
}

static enum spgc_result reject(LLVMValueRef global, check_rule *check, struct spgc_error *error) {
  const struct objection *objection = check(global);
  return objection == NULL ? SPGC_OK : spgc_reject(global, NULL, objection, error);
}

static enum spgc_result check_second_names(LLVMModuleRef module, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (LLVMValueRef alias = LLVMGetFirstGlobalAlias(module); alias != NULL && result == SPGC_OK;
       alias = LLVMGetNextGlobalAlias(alias))
    result = reject(alias, check_global, error);
  for (LLVMValueRef chosen = LLVMGetFirstGlobalIFunc(module); chosen != NULL && result == SPGC_OK;
       chosen = LLVMGetNextGlobalIFunc(chosen))
    result = reject(chosen, check_global, error);
  return result;
}

enum spgc_result spgc_check_globals(LLVMModuleRef module, struct spgc_error *error) {
  static check_rule *const checks[] = {check_variable, check_global};
  IR_EACH_GLOBAL (variable, module)
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
      if (reject(variable, checks[i], error) != SPGC_OK)
        return SPGC_ERROR_REJECTED;
  return check_second_names(module, error);
}

static LLVMTypeRef type_of_letter(LLVMContextRef context, char letter) {
  switch (letter) {
  case 'r': return LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE);
  case 'p': return LLVMPointerTypeInContext(context, 0);
  case 'l': return LLVMInt64TypeInContext(context);
  case 'b': return LLVMInt1TypeInContext(context);
  default: return LLVMVoidTypeInContext(context);
  }
}

static bool is_typed_runtime_function(LLVMValueRef function) {
  return spgc_ir_name_is_among(function, runtime, RUNTIME_TYPED);
}

/* The type that the runtime defines the function with. */
static LLVMTypeRef runtime_type(LLVMValueRef function) {
  enum { MOST_PARAMETERS = 2 };
  static const char forms[RUNTIME_TYPED][MOST_PARAMETERS + 2] = {"rp", "rpl", "v", "b", "ppp", "p"};
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMTypeRef parameters[MOST_PARAMETERS];
  size_t which = 0;
  while (!spgc_ir_name_is(function, runtime[which]))
    which++;
  unsigned count = (unsigned)strlen(forms[which]) - 1;
  for (unsigned i = 0; i < count; i++)
    parameters[i] = type_of_letter(context, forms[which][i + 1]);
  return LLVMFunctionType(type_of_letter(context, forms[which][0]), parameters, count, false);
}

static bool calls_managed(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && (spgc_ir_function_is_managed(callee) ||
                            spgc_ir_name_is_among(callee, runtime, RUNTIME_SAFEPOINTS));
}

static bool runtime_functions_as_declared(LLVMValueRef function) {
  return !is_typed_runtime_function(function) ||
         (LLVMIsDeclaration(function) &&
          LLVMGlobalGetValueType(function) == runtime_type(function));
}

static bool runtime_is_called_as_declared(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee == NULL || !is_typed_runtime_function(callee) ||
         LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(callee);
}

/* The lowering marks tail calls this way; they leave no frame. */
static bool leaf_is_not_managed(LLVMValueRef call) {
  return spgc_ir_call_is_musttail(call) || !spgc_ir_is_marked_leaf(call) || !calls_managed(call);
}

static bool library_gives_no_places(LLVMValueRef call) {
  return spgc_library_call_of(call) != LIBRARY_KEEPS;
}

static bool known_strategy(LLVMValueRef function) {
  const char *strategy = LLVMGetGC(function);
  return strategy == NULL || strcmp(strategy, "statepoint-example") == 0 ||
         strcmp(strategy, "coreclr") == 0;
}

/* The lowering itself adds the calls for -finstrument-functions. */
static bool is_instrumented(LLVMValueRef function) {
  static const char *const attributes[] = {
      "instrument-function-entry", "instrument-function-entry-inlined", "instrument-function-exit",
      "instrument-function-exit-inlined"};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (spgc_ir_string(function, attributes[i]) != NULL)
      return true;
  return false;
}

static bool makes_unknown_call(LLVMValueRef function) {
  return is_instrumented(function) || !spgc_ir_function_calls_only_leaves(function);
}

static bool references_are_managed(LLVMValueRef function) {
  return LLVMIsDeclaration(function) || spgc_ir_function_is_managed(function) ||
         spgc_ir_is_marked_leaf(function) || !makes_unknown_call(function) ||
         !spgc_ir_function_uses_references(function);
}

/* Prefers one that is certain. */
static LLVMValueRef first_safepoint(LLVMValueRef function) {
  LLVMValueRef first = NULL;
  IR_EACH_INSTRUCTION_OF (instruction, function) {
    if (!spgc_ir_is_safepoint(instruction))
      continue;
    if (calls_managed(instruction))
      return instruction;
    first = first != NULL ? first : instruction;
  }
  return first;
}

static bool leaf_has_no_strategy(LLVMValueRef function) {
  return LLVMIsDeclaration(function) || !spgc_ir_is_marked_leaf(function) ||
         !spgc_ir_function_is_managed(function);
}

/* A managed function may get polls. An unknown function may be a leaf if it uses no references. */
static bool leaf_reaches_no_safepoint(LLVMValueRef function) {
  if (LLVMIsDeclaration(function) || !spgc_ir_is_marked_leaf(function))
    return true;
  bool with_references = makes_unknown_call(function) && spgc_ir_function_uses_references(function);
  LLVMValueRef call = first_safepoint(function);
  return !with_references && (call == NULL || !calls_managed(call));
}

/* In parameters' stack memory, refuses references, except in a variable (sret), and the address of
 * an object. */
static const struct objection *no_references_in_memory(LLVMValueRef value) {
  static const struct objection objection = {
      15, "a structure with references is passed in stack memory that the collector does not see",
      "pass its address, or the references as separate parameters (in C, the fields one by one)"};
  for (unsigned i = 0; i < spgc_ir_parameter_count(value); i++) {
    LLVMTypeRef memory = spgc_ir_memory_type(value, i);
    if (memory == NULL || spgc_ir_attribute_at(value, i + 1, "elementtype") != NULL)
      continue;
    bool is_variable = spgc_ir_attribute_at(value, i + 1, "sret") != NULL;
    if (spgc_ir_is_reference(spgc_ir_parameter(value, i)) ||
        (!is_variable && spgc_ir_type_contains_reference(memory)))
      return &objection;
  }
  return NULL;
}

static const struct rule known_callee_rules[] = {
    RULE(runtime_is_called_as_declared, 37,
         "the runtime's function is called with another type than it is declared with",
         "call it with its own parameters and result"),
    RULE(leaf_is_not_managed, 26,
         "a call of a managed function is marked as a leaf, but the function reaches safepoints",
         "remove \"gc-leaf-function\" from the call"),
    RULE(
        library_gives_no_places, 1,
        "a function of the C library returns a pointer into an object, which no collection updates",
        "call a leaf of your own that returns a position, or use llvm.memcpy, llvm.memmove and "
        "llvm.memset"),
    JUDGE(no_references_in_memory),
};

const struct objection *spgc_check_known_callee(LLVMValueRef call) {
  return FIRST_OBJECTION(known_callee_rules, call);
}

enum { CALLS = 26 }; /* row of docs/frontend-rules.md */

static const struct rule function_rules[] = {
    RULE(runtime_functions_as_declared, 37,
         "the runtime's function has another type, or is defined here",
         "declare ptr addrspace(1) @spgc_allocate(ptr), ptr addrspace(1) @spgc_allocate_array(ptr, "
         "i64), void @spgc_poll(), i1 @spgc_stack_low(), ptr @spgc_call_blocking(ptr, ptr), ptr "
         "@spgc_exception()"),
    RULE(known_strategy, 27, "the gc strategy is not one that gets statepoints",
         "use gc \"statepoint-example\""),
    RULE(references_are_managed, CALLS,
         "it uses references across calls and has no gc attribute, so its calls would get no "
         "statepoints",
         "give it gc \"statepoint-example\" (spgc-lower --gc=always), or mark its calls "
         "\"gc-leaf-function\" if none reaches a safepoint"),
    RULE(leaf_has_no_strategy, CALLS,
         "a leaf has a gc attribute, so it would get safepoints that its callers do not expect",
         "remove gc, or \"gc-leaf-function\""),
    RULE(leaf_reaches_no_safepoint, CALLS,
         "a leaf makes a call that may reach a safepoint, which the leaf's callers do not expect",
         "remove \"gc-leaf-function\" (in C, SPGC_LEAF), or also mark the function that it calls, "
         "if that one reaches none"),
    JUDGE(check_global),
    JUDGE(no_references_in_memory),
    JUDGE(spgc_check_types_of_function),
    JUDGE(spgc_check_convention_of_function),
};

LLVMValueRef spgc_check_culprit(LLVMValueRef function, const struct objection *objection) {
  bool is_for_call = objection->rule == CALLS && !spgc_ir_function_is_managed(function);
  LLVMValueRef call = is_for_call ? first_safepoint(function) : NULL;
  return call != NULL ? call : function;
}

const struct objection *spgc_check_function(LLVMValueRef function) {
  return FIRST_OBJECTION(function_rules, function);
}
