#include "codegen/ir/hidden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"
#include "support/fatal.h"

/* A hidden access is named after its type, a hidden call after its function. */
static const char hidden_load[] = PRELUDE_PREFIX "word.load ",
                  hidden_store[] = PRELUDE_PREFIX "word.store ",
                  hidden_volatile_load[] = PRELUDE_PREFIX "word.load.volatile ",
                  hidden_volatile_store[] = PRELUDE_PREFIX "word.store.volatile ",
                  hidden_cast[] = PRELUDE_PREFIX "word.cast ",
                  stored_note[] = PRELUDE_PREFIX "word.stored ",
                  hidden_copy[] = PRELUDE_PREFIX "llvm.mem", hidden_call[] = PRELUDE_PREFIX "call.";

static LLVMModuleRef module_of(LLVMValueRef instruction) {
  return LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
}

static LLVMBuilderRef builder_at(LLVMValueRef instruction) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(instruction)));
  LLVMPositionBuilderBefore(builder, instruction);
  return builder;
}

/* The function of this type that stands for casts of words or accesses to them. */
static LLVMValueRef access_function(LLVMModuleRef module, const char *kind, LLVMTypeRef type) {
  char *text = LLVMPrintTypeToString(type), *name;
  spgc_require(asprintf(&name, "%s%s", kind, text) >= 0, "out of memory");
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  if (function == NULL) {
    function = spgc_note_function(module, name, type);
    if (kind == hidden_store || kind == hidden_volatile_store)
      spgc_declare_word_store(function);
    else if (kind != hidden_cast)
      spgc_declare_word(function);
  }
  free(name);
  LLVMDisposeMessage(text);
  return function;
}

static LLVMValueRef call(LLVMBuilderRef builder, const char *kind, LLVMTypeRef result,
                         LLVMValueRef *arguments, unsigned count) {
  enum { MOST = 2 };
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
  LLVMTypeRef parameters[MOST];
  for (unsigned i = 0; i < count; i++)
    parameters[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(result, parameters, count, false);
  return LLVMBuildCall2(builder, type, access_function(module, kind, type), arguments, count, "");
}

static LLVMTypeRef nothing(LLVMValueRef instruction) {
  return LLVMVoidTypeInContext(LLVMGetTypeContext(LLVMTypeOf(instruction)));
}

static void copy_access_type(LLVMValueRef to, LLVMValueRef from) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(from));
  unsigned kind = LLVMGetMDKindIDInContext(context, "tbaa", strlen("tbaa"));
  LLVMValueRef type = LLVMGetMetadata(from, kind);
  if (type != NULL)
    LLVMSetMetadata(to, kind, type);
}

/* Replaces `old`, and disposes the builder. */
static void replace(LLVMBuilderRef builder, LLVMValueRef old, LLVMValueRef new) {
  copy_access_type(new, old);
  LLVMReplaceAllUsesWith(old, new);
  LLVMInstructionEraseFromParent(old);
  LLVMDisposeBuilder(builder);
}

static unsigned align_kind(void) {
  return LLVMGetEnumAttributeKindForName("align", strlen("align"));
}

static void keep_alignment(LLVMValueRef call, LLVMValueRef access) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(access));
  LLVMAddCallSiteAttribute(
      call, 1, LLVMCreateEnumAttribute(context, align_kind(), LLVMGetAlignment(access)));
}

static void hide_load(LLVMValueRef load) {
  LLVMBuilderRef builder = builder_at(load);
  LLVMValueRef address = LLVMGetOperand(load, 0);
  const char *kind = LLVMGetVolatile(load) ? hidden_volatile_load : hidden_load;
  LLVMValueRef hidden = call(builder, kind, LLVMTypeOf(load), &address, 1);
  keep_alignment(hidden, load);
  replace(builder, load, hidden);
}

static void hide_store(LLVMValueRef store) {
  LLVMBuilderRef builder = builder_at(store);
  LLVMValueRef arguments[] = {LLVMGetOperand(store, 1), LLVMGetOperand(store, 0)};
  const char *kind = LLVMGetVolatile(store) ? hidden_volatile_store : hidden_store;
  LLVMValueRef hidden = call(builder, kind, nothing(store), arguments, 2);
  keep_alignment(hidden, store);
  replace(builder, store, hidden);
}

static void hide_cast(LLVMValueRef cast) {
  LLVMBuilderRef builder = builder_at(cast);
  LLVMValueRef number = LLVMGetOperand(cast, 0);
  replace(builder, cast, call(builder, hidden_cast, LLVMTypeOf(cast), &number, 1));
}

void spgc_hide_access(LLVMValueRef instruction) {
  if (LLVMIsALoadInst(instruction) != NULL)
    hide_load(instruction);
  else if (LLVMIsAStoreInst(instruction) != NULL)
    hide_store(instruction);
  else
    hide_cast(instruction);
}

void spgc_note_store(LLVMValueRef store) {
  LLVMBuilderRef builder = builder_at(LLVMGetNextInstruction(store));
  LLVMValueRef address = LLVMGetOperand(store, 1);
  call(builder, stored_note, nothing(store), &address, 1);
  LLVMDisposeBuilder(builder);
}

/* Names the function that a call is to be hidden as; `declare` declares it if it is new. */
static void redirect(LLVMValueRef call, const char *prefix, void (*declare)(LLVMValueRef)) {
  size_t length;
  char *name;
  LLVMValueRef callee = spgc_ir_callee(call);
  spgc_require(asprintf(&name, "%s%s", prefix, LLVMGetValueName2(callee, &length)) >= 0,
               "out of memory");
  LLVMModuleRef module = module_of(call);
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  if (function == NULL) {
    function = LLVMAddFunction(module, name, LLVMGlobalGetValueType(callee));
    declare(function);
  }
  free(name);
  spgc_ir_call_set_callee(call, function);
}

void spgc_hide_copy(LLVMValueRef transfer) {
  redirect(transfer, PRELUDE_PREFIX, spgc_declare_copy);
}

void spgc_hide_call(LLVMValueRef call) {
  redirect(call, hidden_call, spgc_declare_word_call);
}

/* Calls that the optimiser merged may have lost their alignment. */
static unsigned alignment_of(LLVMValueRef call) {
  LLVMAttributeRef alignment = LLVMGetCallSiteEnumAttribute(call, 1, align_kind());
  return alignment != NULL ? (unsigned)LLVMGetEnumAttributeValue(alignment) : 1;
}

static bool is_volatile(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return spgc_ir_name_starts_with(callee, hidden_volatile_load) ||
         spgc_ir_name_starts_with(callee, hidden_volatile_store);
}

static void show_load(LLVMValueRef call) {
  LLVMBuilderRef builder = builder_at(call);
  LLVMValueRef load = LLVMBuildLoad2(builder, LLVMTypeOf(call), LLVMGetArgOperand(call, 0), "");
  LLVMSetAlignment(load, alignment_of(call));
  LLVMSetVolatile(load, is_volatile(call));
  replace(builder, call, load);
}

static void show_store(LLVMValueRef call) {
  LLVMBuilderRef builder = builder_at(call);
  LLVMValueRef store =
      LLVMBuildStore(builder, LLVMGetArgOperand(call, 1), LLVMGetArgOperand(call, 0));
  LLVMSetAlignment(store, alignment_of(call));
  LLVMSetVolatile(store, is_volatile(call));
  replace(builder, call, store);
}

static void show_cast(LLVMValueRef call) {
  LLVMBuilderRef builder = builder_at(call);
  LLVMValueRef number = LLVMGetArgOperand(call, 0);
  replace(builder, call, LLVMBuildIntToPtr(builder, number, LLVMTypeOf(call), ""));
}

/* A function of an intrinsic's name is that intrinsic. */
static void show_as(LLVMValueRef call, size_t prefix) {
  size_t length;
  LLVMValueRef callee = spgc_ir_callee(call);
  LLVMModuleRef module = module_of(call);
  const char *name = LLVMGetValueName2(callee, &length) + prefix;
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  if (function == NULL)
    function = LLVMAddFunction(module, name, LLVMGlobalGetValueType(callee));
  spgc_ir_call_set_callee(call, function);
}

static void show_copy(LLVMValueRef call) {
  show_as(call, strlen(PRELUDE_PREFIX));
}

static void show_call(LLVMValueRef call) {
  show_as(call, strlen(hidden_call));
}

static const struct kind {
  const char *prefix; /* of the function's name */
  void (*show)(LLVMValueRef call);
} kinds[] = {{hidden_load, show_load},   {hidden_volatile_load, show_load},
             {hidden_store, show_store}, {hidden_volatile_store, show_store},
             {hidden_cast, show_cast},   {hidden_copy, show_copy},
             {hidden_call, show_call}};

/* How the function hides something; NULL if it does not. */
static const struct kind *kind_of(LLVMValueRef function) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (spgc_ir_name_starts_with(function, kinds[i].prefix))
      return &kinds[i];
  return NULL;
}

bool spgc_show(LLVMValueRef instruction) {
  LLVMValueRef callee = spgc_ir_is_call(instruction) ? spgc_ir_callee(instruction) : NULL;
  const struct kind *kind = callee != NULL ? kind_of(callee) : NULL;
  if (kind != NULL)
    kind->show(instruction);
  return kind != NULL;
}

/* `end` ends the use of a function by a call. */
static void end_calls(LLVMValueRef function, void (*end)(LLVMValueRef call)) {
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;)
    end(LLVMGetUser(use));
  LLVMDeleteFunction(function);
}

enum spgc_result spgc_drop_store_notes(struct lowering *lowering, struct spgc_error *error) {
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next; function != NULL;
       function = next) {
    next = LLVMGetNextFunction(function);
    if (spgc_ir_name_starts_with(function, stored_note))
      end_calls(function, LLVMInstructionEraseFromParent);
  }
  return SPGC_OK;
}

enum spgc_result spgc_show_hidden(struct lowering *lowering, struct spgc_error *error) {
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next; function != NULL;
       function = next) {
    next = LLVMGetNextFunction(function);
    const struct kind *kind = kind_of(function);
    if (kind != NULL)
      end_calls(function, kind->show);
  }
  return SPGC_OK;
}
