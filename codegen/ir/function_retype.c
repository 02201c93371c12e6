#include "codegen/ir/function_retype.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>

#include "codegen/ir/function_clone.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

struct retyping {
  LLVMValueRef old, new;
  unsigned count;      /* of parameters */
  const bool *becomes; /* for each: it becomes a reference */
};

static LLVMTypeRef new_type(const struct retyping *retyping) {
  LLVMTypeRef type = LLVMGlobalGetValueType(retyping->old);
  LLVMTypeRef *parameters = calloc(retyping->count, sizeof(LLVMTypeRef));
  spgc_require(parameters != NULL, "out of memory");
  LLVMGetParamTypes(type, parameters);
  for (unsigned i = 0; i < retyping->count; i++)
    if (retyping->becomes[i])
      parameters[i] =
          LLVMPointerTypeInContext(LLVMGetTypeContext(type), IR_REFERENCE_ADDRESS_SPACE);
  LLVMTypeRef changed = LLVMFunctionType(LLVMGetReturnType(type), parameters, retyping->count,
                                         LLVMIsFunctionVarArg(type));
  free((void *)parameters);
  return changed;
}

/* Attributes that only integers have, or that compare the parameter's type with another. */
static const char *const of_integers[] = {"zeroext", "signext", "range", "returned", "allocalign"};
enum { OF_INTEGERS = sizeof of_integers / sizeof *of_integers };

static unsigned attribute_kind(const char *name) {
  return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* Of functions: which integer parameters tell the size of what it allocates. */
static const char of_sizes[] = "allocsize";

static void copy_metadata(LLVMValueRef from, LLVMValueRef to) {
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(from, &count);
  for (unsigned i = 0; i < count; i++)
    LLVMGlobalSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
                          LLVMValueMetadataEntriesGetMetadata(entries, i));
  LLVMDisposeValueMetadataEntries(entries);
}

static void copy_properties(const struct retyping *retyping) {
  LLVMValueRef from = retyping->old, to = retyping->new;
  LLVMSetLinkage(to, LLVMGetLinkage(from));
  LLVMSetVisibility(to, LLVMGetVisibility(from));
  LLVMSetUnnamedAddress(to, LLVMGetUnnamedAddress(from));
  LLVMSetSection(to, LLVMGetSection(from));
  LLVMSetAlignment(to, LLVMGetAlignment(from));
  LLVMSetComdat(to, LLVMGetComdat(from));
  LLVMSetFunctionCallConv(to, LLVMGetFunctionCallConv(from));
  LLVMSetGC(to, LLVMGetGC(from));
  if (LLVMHasPersonalityFn(from))
    LLVMSetPersonalityFn(to, LLVMGetPersonalityFn(from));
  if (LLVMHasPrefixData(from))
    LLVMSetPrefixData(to, LLVMGetPrefixData(from));
  if (LLVMHasPrologueData(from))
    LLVMSetPrologueData(to, LLVMGetPrologueData(from));
  copy_metadata(from, to);
  spgc_function_copy_attributes(from, to, IR_ON_FUNCTION);
  for (unsigned i = 0; i <= retyping->count; i++) /* 0 is the result */
    spgc_function_copy_attributes(from, to, i);
  for (unsigned i = 0; i < retyping->count; i++)
    for (unsigned k = 0; retyping->becomes[i] && k < OF_INTEGERS; k++)
      LLVMRemoveEnumAttributeAtIndex(to, i + 1, attribute_kind(of_integers[k]));
  LLVMRemoveEnumAttributeAtIndex(to, IR_ON_FUNCTION, attribute_kind(of_sizes));
}

static void use_as_reference(LLVMValueRef number, LLVMValueRef reference) {
  for (LLVMUseRef use; (use = LLVMGetFirstUse(number)) != NULL;) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAStoreInst(user) != NULL) {
      LLVMSetOperand(user, 0, reference);
      continue;
    }
    LLVMReplaceAllUsesWith(user, reference);
    LLVMInstructionEraseFromParent(user);
  }
}

static void move_body(const struct retyping *retyping) {
  for (LLVMBasicBlockRef block; (block = LLVMGetFirstBasicBlock(retyping->old)) != NULL;) {
    LLVMRemoveBasicBlockFromParent(block);
    LLVMAppendExistingBasicBlock(retyping->new, block);
  }
  for (unsigned i = 0; i < retyping->count; i++) {
    LLVMValueRef old = LLVMGetParam(retyping->old, i), new = LLVMGetParam(retyping->new, i);
    size_t length;
    const char *name = LLVMGetValueName2(old, &length);
    LLVMSetValueName2(new, name, length);
    if (retyping->becomes[i])
      use_as_reference(old, new);
    else
      LLVMReplaceAllUsesWith(old, new);
  }
}

/* ---- Its calls ---- */

/* The reference that a caller passes as a number. What was cast is passed itself, because LLVM may
 * have moved the cast away from the call. */
static LLVMValueRef as_reference(LLVMBuilderRef builder, LLVMValueRef number, LLVMTypeRef type) {
  if (LLVMIsAPtrToIntInst(number) != NULL && spgc_ir_is_reference(LLVMGetOperand(number, 0)))
    return LLVMGetOperand(number, 0);
  return LLVMBuildIntToPtr(builder, number, type, "");
}

static void retype_call(const struct retyping *retyping, LLVMValueRef call) {
  LLVMTypeRef type = LLVMGlobalGetValueType(retyping->new);
  unsigned count = LLVMGetNumArgOperands(call); /* more if the function is variadic */
  LLVMValueRef *arguments = calloc(count, sizeof(LLVMValueRef));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
  spgc_require(arguments != NULL, "out of memory");
  LLVMPositionBuilderBefore(builder, call);
  for (unsigned i = 0; i < count; i++)
    arguments[i] = LLVMGetArgOperand(call, i);
  for (unsigned i = 0; i < retyping->count; i++) {
    if (retyping->becomes[i])
      arguments[i] =
          as_reference(builder, arguments[i], LLVMTypeOf(LLVMGetParam(retyping->new, i)));
    for (unsigned k = 0; retyping->becomes[i] && k < OF_INTEGERS; k++)
      LLVMRemoveCallSiteEnumAttribute(call, i + 1, attribute_kind(of_integers[k]));
  }
  LLVMRemoveCallSiteEnumAttribute(call, IR_ON_FUNCTION, attribute_kind(of_sizes));
  spgc_ir_call_retype(call, type, retyping->new, arguments);
  LLVMDisposeBuilder(builder);
  free((void *)arguments);
}

static bool calls(LLVMValueRef user, LLVMValueRef function) {
  return LLVMIsAInstruction(user) != NULL && spgc_ir_is_call(user) &&
         LLVMGetCalledValue(user) == function &&
         LLVMGetCalledFunctionType(user) == LLVMGlobalGetValueType(function);
}

static void retype_calls(const struct retyping *retyping) {
  struct values found = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(retyping->old); use != NULL; use = LLVMGetNextUse(use))
    if (calls(LLVMGetUser(use), retyping->old) && !spgc_values_contain(&found, LLVMGetUser(use)))
      spgc_values_add(&found, LLVMGetUser(use));
  for (unsigned i = 0; i < found.count; i++)
    retype_call(retyping, found.at[i]);
  spgc_values_free(&found);
}

void spgc_function_retype(LLVMValueRef function, const bool *becomes_reference) {
  struct retyping retyping = {
      .old = function, .count = LLVMCountParams(function), .becomes = becomes_reference};
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  size_t length;
  char *name = strdup(LLVMGetValueName2(function, &length));
  spgc_require(name != NULL, "out of memory");
  LLVMSetValueName2(function, "", 0);
  retyping.new = LLVMAddFunction(module, name, new_type(&retyping));
  free(name);
  copy_properties(&retyping);
  move_body(&retyping);
  retype_calls(&retyping);
  LLVMReplaceAllUsesWith(function, retyping.new);
  LLVMDeleteFunction(function);
}
