/* Attributes tell the optimiser and RS4GC what they may assume of functions and calls. */

#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

static LLVMAttributeRef enum_attribute(LLVMContextRef context, const char *name, uint64_t value) {
  return LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)),
                                 value);
}

static void add(LLVMValueRef function, LLVMAttributeIndex index, const char *name, uint64_t value) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  LLVMAddAttributeAtIndex(function, index, enum_attribute(context, name, value));
}

/* Encodings of llvm::MemoryEffects: two bits for each location, arguments first, then inaccessible
 * memory. */
enum { ARGUMENTS_READ_WRITE = 3, INACCESSIBLE_READ = 1 << 2, INACCESSIBLE_READ_WRITE = 3 << 2 };

/* LLVM's AllocFnKind: an allocation. It is not "zeroed", because header and length are set. */
enum { ALLOCATES = 1 << 0 };

/* A new object aliases nothing, and a collection changes nothing that a program can see. */
static void declare_allocation(LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  add(function, LLVMAttributeReturnIndex, "noalias", 0);
  add(function, IR_ON_FUNCTION, "memory", INACCESSIBLE_READ_WRITE);
  add(function, IR_ON_FUNCTION, "allockind", ALLOCATES);
  LLVMAddAttributeAtIndex(function, IR_ON_FUNCTION,
                          LLVMCreateStringAttribute(context, "alloc-family", 12, "spgc", 4));
}

static void declare_stack_check(LLVMValueRef function) {
  add(function, IR_ON_FUNCTION, "memory", INACCESSIBLE_READ);
  add(function, IR_ON_FUNCTION, "nounwind", 0);
  add(function, IR_ON_FUNCTION, "willreturn", 0);
}

static void declare_note(LLVMValueRef function) {
  spgc_ir_function_add_string(function, "gc-leaf-function");
  add(function, IR_ON_FUNCTION, "memory", INACCESSIBLE_READ_WRITE);
  add(function, IR_ON_FUNCTION, "nounwind", 0);
  add(function, IR_ON_FUNCTION, "willreturn", 0);
}

LLVMValueRef spgc_note_function(LLVMModuleRef module, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  if (function != NULL)
    return function;
  function = LLVMAddFunction(module, name, type);
  declare_note(function);
  return function;
}

/* The function keeps no copy of the pointer that is this parameter. */
static void declare_uncaptured(LLVMValueRef function, unsigned parameter) {
  static const char before[] = "nocapture", since[] = "captures"; /* LLVM 21; 0 is for none */
  bool is_old = LLVMGetEnumAttributeKindForName(before, sizeof before - 1) != 0;
  add(function, parameter, is_old ? before : since, 0);
}

/* Keeps two calls from being merged into one, because their constant arguments would become
 * variables. */
void spgc_declare_copy(LLVMValueRef function) {
  enum { DESTINATION = 1, SOURCE };
  declare_note(function);
  add(function, IR_ON_FUNCTION, "memory", ARGUMENTS_READ_WRITE | INACCESSIBLE_READ_WRITE);
  add(function, IR_ON_FUNCTION, "nomerge", 0);
  declare_uncaptured(function, DESTINATION);
  add(function, DESTINATION, "writeonly", 0);
  declare_uncaptured(function, SOURCE);
  add(function, SOURCE, "readonly", 0);
}

static unsigned memory_kind(void) {
  return LLVMGetEnumAttributeKindForName("memory", strlen("memory"));
}

static LLVMAttributeRef effects_of(LLVMValueRef value, bool is_function) {
  return is_function ? LLVMGetEnumAttributeAtIndex(value, IR_ON_FUNCTION, memory_kind())
                     : LLVMGetCallSiteEnumAttribute(value, IR_ON_FUNCTION, memory_kind());
}

/* Withdraws claims that the function touches no memory. */
static void add_effects(LLVMContextRef context, LLVMValueRef value, bool is_function,
                        uint64_t added) {
  LLVMAttributeRef known = effects_of(value, is_function);
  if (known == NULL)
    return;
  LLVMAttributeRef effects =
      LLVMCreateEnumAttribute(context, memory_kind(), LLVMGetEnumAttributeValue(known) | added);
  if (is_function)
    LLVMAddAttributeAtIndex(value, IR_ON_FUNCTION, effects);
  else
    LLVMAddCallSiteAttribute(value, IR_ON_FUNCTION, effects);
}

/* Withdraws these, and claims that a call may be moved or removed. */
void spgc_declare_safepoint(LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  if (!spgc_ir_function_is_leaf(function)) {
    add_effects(context, function, true, INACCESSIBLE_READ_WRITE);
    spgc_ir_function_remove_attribute(function, "speculatable");
  }
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (spgc_ir_is_safepoint(instruction)) {
        add_effects(context, instruction, false, INACCESSIBLE_READ_WRITE);
        spgc_ir_call_remove_attribute(instruction, "speculatable");
      }
}

enum spgc_result spgc_declare_runtime(struct lowering *lowering, struct spgc_error *error) {
  static const char *const allocations[] = {"spgc_allocate", "spgc_allocate_array"};
  for (size_t i = 0; i < sizeof allocations / sizeof *allocations; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(lowering->module, allocations[i]);
    if (function != NULL)
      declare_allocation(function);
  }
  LLVMValueRef stack_low = LLVMGetNamedFunction(lowering->module, "spgc_stack_low");
  if (stack_low != NULL)
    declare_stack_check(stack_low);
  return SPGC_OK;
}

/* A statepoint has the attributes of the call's arguments, and gives none of them back. */
static void forget_returned(LLVMValueRef call) {
  unsigned returned = LLVMGetEnumAttributeKindForName("returned", strlen("returned"));
  for (unsigned i = 1; i <= LLVMGetNumArgOperands(call); i++)
    LLVMRemoveCallSiteEnumAttribute(call, i, returned);
}

/* A function that touches no memory by its own account does so once an allocation is inlined into
 * it. A safepoint there may read every object, so a store of zero or of a first field must stay in
 * front of the call. */
enum spgc_result spgc_forget_memory_effects(struct lowering *lowering, struct spgc_error *error) {
  unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
  IR_EACH_FUNCTION (function, lowering->module) {
    if (LLVMGetIntrinsicID(function) != 0)
      continue;
    LLVMRemoveEnumAttributeAtIndex(function, IR_ON_FUNCTION, memory);
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (spgc_ir_is_safepoint(instruction)) {
          LLVMRemoveCallSiteEnumAttribute(instruction, IR_ON_FUNCTION, memory);
          forget_returned(instruction);
        }
  }
  return SPGC_OK;
}

/* C and C++ library functions that call functions of the program: those given to them, handlers of
 * pthread_atfork (the collector's stops the world), of atexit and of pthread_cleanup_push, the
 * handler that operator new calls when memory is short, and std::terminate's, which a throw calls
 * that nobody catches. Each version of LLVM knows more of them. */
static bool calls_back(LLVMValueRef callee) {
  static const char *const names[] = {
      "qsort",          "qsort_r",       "bsearch",       "lsearch",
      "lfind",          "tsearch",       "tfind",         "tdelete",
      "twalk",          "tdestroy",      "ftw",           "nftw",
      "fts_open",       "glob",          "scandir",       "scandirat",
      "atexit",         "at_quick_exit", "on_exit",       "exit",
      "quick_exit",     "fork",          "vfork",         "daemon",
      "forkpty",        "pthread_exit",  "pthread_once",  "call_once",
      "thrd_exit",      "dlopen",        "dlclose",       "__cxa_atexit",
      "__cxa_finalize", "__cxa_throw",   "__cxa_rethrow", "_ZSt9terminatev"};
  return IR_NAME_IS_AMONG(callee, names) || spgc_ir_name_starts_with(callee, "_Znw") ||
         spgc_ir_name_starts_with(callee, "_Zna");
}

/* RS4GC assumes that every function with the name and type of a C library function is a leaf. That
 * is wrong for functions that the module defines itself, and for those that call back. */
static bool resembles_library_function(LLVMValueRef callee) {
  return !LLVMIsDeclaration(callee) || calls_back(callee);
}

/* A musttail call leaves no frame behind in which references could go stale. The mark is set this
 * late because inlining may have turned the call into an ordinary one. */
static void name_leaf_call(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  if (spgc_ir_call_is_musttail(call) || spgc_ir_is_library_varargs(call))
    spgc_ir_call_add_string_attribute(call, "gc-leaf-function");
  else if (callee != NULL && LLVMGetIntrinsicID(callee) == 0 &&
           resembles_library_function(callee)) {
    spgc_ir_call_remove_attribute(call, "builtin"); /* "builtin" would override "nobuiltin" */
    spgc_ir_call_add_attribute(call, "nobuiltin");
  }
}

enum spgc_result spgc_name_leaf_calls(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function))
      IR_EACH_BLOCK (block, function)
        IR_EACH_INSTRUCTION (instruction, block)
          if (spgc_ir_is_call(instruction))
            name_leaf_call(instruction);
  return SPGC_OK;
}

enum { UWTABLE_SYNC = 1 };

/* Any function of the module may have a managed frame below it. */
enum spgc_result spgc_demand_unwind_tables(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module) {
    if (!LLVMIsDeclaration(function))
      add(function, IR_ON_FUNCTION, "uwtable", UWTABLE_SYNC);
  }
  return SPGC_OK;
}
