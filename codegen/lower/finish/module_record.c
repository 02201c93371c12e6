#include "codegen/ir/ir.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/values.h"

#include <string.h>

#include <llvm-c/Target.h>

#include "codegen/emit/module_note.h"
#include "codegen/lower/phases.h"
#include "spgc/module.h"
#include "support/fatal.h"

_Static_assert(sizeof(struct spgc_module) == 56 && offsetof(struct spgc_module, stackmaps) == 8 &&
                   offsetof(struct spgc_module, roots) == 16 &&
                   offsetof(struct spgc_module, root_count) == 24 &&
                   offsetof(struct spgc_module, name) == 32,
               "record_global lists the fields of struct spgc_module in order");
_Static_assert(sizeof(struct spgc_global_roots) == 16 &&
                   offsetof(struct spgc_global_roots, count) == 8,
               "a run is an address and a count");

/* As constants of struct spgc_global_roots. */
struct runs {
  LLVMModuleRef module;
  LLVMTargetDataRef data;
  struct values found;
  /* The current run: `open_count` words at `open_offset` in `variable`. */
  LLVMValueRef variable;
  uint64_t open_offset, open_count;
};

static LLVMContextRef context_of(const struct runs *runs) {
  return LLVMGetModuleContext(runs->module);
}

static void close_run(struct runs *runs) {
  if (runs->open_count == 0)
    return;
  LLVMValueRef offset = spgc_ir_word(context_of(runs), runs->open_offset);
  LLVMValueRef fields[] = {
      LLVMConstGEP2(LLVMInt8TypeInContext(context_of(runs)), runs->variable, &offset, 1),
      spgc_ir_word(context_of(runs), runs->open_count)};
  spgc_values_add(&runs->found, LLVMConstStructInContext(context_of(runs), fields, 2, false));
  runs->open_count = 0;
}

static bool add_words(void *context, uint64_t offset, uint64_t words) {
  struct runs *runs = context;
  if (runs->open_offset + runs->open_count * sizeof(struct spgc_ref) != offset)
    close_run(runs);
  if (runs->open_count == 0)
    runs->open_offset = offset;
  runs->open_count += words;
  return true;
}

/* Nothing can be stored in constants. */
static bool holds_roots(LLVMValueRef variable) {
  return !LLVMIsDeclaration(variable) && !LLVMIsThreadLocal(variable) &&
         !LLVMIsGlobalConstant(variable) &&
         LLVMGetLinkage(variable) != LLVMAvailableExternallyLinkage &&
         !spgc_ir_name_starts_with(variable, "llvm.");
}

static void collect_runs(struct runs *runs) {
  IR_EACH_GLOBAL (variable, runs->module)
    if (holds_roots(variable)) {
      runs->variable = variable;
      spgc_storage_each_reference(runs->data, LLVMGlobalGetValueType(variable), 0, add_words, runs);
      close_run(runs);
    }
}

static LLVMValueRef internal_global(LLVMModuleRef module, LLVMValueRef value, const char *name) {
  LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(value), name);
  LLVMSetInitializer(global, value);
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetAlignment(global, 8);
  return global;
}

static LLVMValueRef runs_global(const struct runs *runs) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context_of(runs), 0);
  if (runs->found.count == 0)
    return LLVMConstNull(pointer);
  LLVMTypeRef fields[] = {pointer, LLVMInt64TypeInContext(context_of(runs))};
  LLVMTypeRef run = LLVMStructTypeInContext(context_of(runs), fields, 2, false);
  LLVMValueRef table = internal_global(
      runs->module, LLVMConstArray2(run, runs->found.at, runs->found.count), "spgc.roots");
  LLVMSetGlobalConstant(table, true);
  return table;
}

/* available_externally functions get no code, and so no stack map. */
static bool has_code(LLVMValueRef call) {
  LLVMValueRef function = spgc_ir_function_of(call);
  return LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage;
}

static bool has_statepoints(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module)
    if (spgc_ir_name_starts_with(function, "llvm.experimental.gc.statepoint"))
      IR_EACH_USER (user, function)
        if (has_code(user))
          return true;
  return false;
}

/* The assembler defines this local label at the section's start. */
static LLVMValueRef stackmaps_symbol(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  if (!has_statepoints(module))
    return LLVMConstNull(LLVMPointerTypeInContext(context, 0));
  LLVMValueRef symbol = LLVMAddGlobal(module, LLVMInt8TypeInContext(context), "__LLVM_StackMaps");
  LLVMSetVisibility(symbol, LLVMHiddenVisibility);
  return symbol;
}

static LLVMValueRef name_global(LLVMModuleRef module) {
  size_t length;
  const char *name = LLVMGetModuleIdentifier(module, &length);
  LLVMValueRef text =
      LLVMConstStringInContext(LLVMGetModuleContext(module), name, (unsigned)length, false);
  LLVMValueRef global = internal_global(module, text, "spgc.name");
  LLVMSetGlobalConstant(global, true);
  return global;
}

static LLVMValueRef record_global(const struct runs *runs, LLVMValueRef name) {
  LLVMValueRef null = LLVMConstNull(LLVMPointerTypeInContext(context_of(runs), 0));
  LLVMValueRef fields[] = {
      spgc_ir_word(context_of(runs), SPGC_MODULE_VERSION),
      stackmaps_symbol(runs->module),
      runs_global(runs),
      spgc_ir_word(context_of(runs), runs->found.count),
      name,
      null,
      null,
  };
  LLVMValueRef value =
      LLVMConstStructInContext(context_of(runs), fields, sizeof fields / sizeof *fields, false);
  LLVMValueRef record = internal_global(runs->module, value, "spgc.module");
  LLVMSetSection(record, "spgc_modules");
  return record;
}

static LLVMValueRef caller_function(LLVMModuleRef module, const char *name, const char *callee,
                                    LLVMValueRef *addresses, unsigned count) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef nothing = LLVMVoidTypeInContext(context);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), pointers[] = {pointer, pointer};
  LLVMTypeRef type = LLVMFunctionType(nothing, pointers, count, false);
  LLVMValueRef function = LLVMAddFunction(module, name, LLVMFunctionType(nothing, NULL, 0, false));
  LLVMValueRef called = LLVMGetNamedFunction(module, callee);
  if (called == NULL)
    called = LLVMAddFunction(module, callee, type);
  LLVMSetLinkage(function, LLVMInternalLinkage);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  LLVMBuildCall2(builder, type, called, addresses, count, "");
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return function;
}

static void announce(LLVMModuleRef module, LLVMValueRef record, LLVMValueRef name) {
  LLVMValueRef addresses[] = {record, name};
  spgc_constructor_add(caller_function(module, "spgc.arrive", "spgc_module_load", addresses, 2));
  spgc_destructor_add(caller_function(module, "spgc.leave", "spgc_module_unload", addresses, 1));
}

/* A linked program would not register the record, and would find the thread's words elsewhere. The
 * note has no name, 8 bytes and type 0; the JIT does not load notes. */
static void refuse_linker(LLVMModuleRef module) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  enum { DESCRIPTION_BYTES = 8 };
  LLVMValueRef members[] = {spgc_ir_word(context, (uint64_t)DESCRIPTION_BYTES << 32),
                            LLVMConstNull(LLVMInt32TypeInContext(context)),
                            LLVMAddGlobal(module, LLVMInt8TypeInContext(context), SPGC_JIT_MARK)};
  LLVMValueRef note = internal_global(
      module, LLVMConstStructInContext(context, members, sizeof members / sizeof *members, true),
      "spgc.jit");
  LLVMSetSection(note, ".note.spgc.jit");
}

/* Code without statepoints and roots also has a record, so that its version is checked. */
enum spgc_result spgc_describe_module(struct lowering *lowering, struct spgc_error *error) {
  struct runs runs = {.module = lowering->module,
                      .data = LLVMGetModuleDataLayout(lowering->module)};
  collect_runs(&runs);
  if (runs.found.count != 0 || spgc_ir_module_is_managed(lowering->module)) {
    LLVMValueRef name = name_global(lowering->module);
    LLVMValueRef record = record_global(&runs, name);
    if (lowering->options->code == SPGC_CODE_AHEAD_OF_TIME)
      announce(lowering->module, record, name);
  }
  if (lowering->options->code == SPGC_CODE_JIT)
    refuse_linker(lowering->module);
  spgc_values_free(&runs.found);
  return SPGC_OK;
}
