/* Masked accesses to words that pass through the program as numbers and may be references.
 *
 * The optimiser merges two masked loads around a safepoint, as it does with loads (words.c). So
 * each such access is a call of a function that the optimiser does not know, until nothing comes
 * any more that might merge them. It may read and write any memory, because a gather has many
 * addresses.
 */
#include "codegen/ir/access_type.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fatal.h"

enum { WORD = sizeof(uint64_t) };

static const char hidden[] = PRELUDE_PREFIX "llvm.masked.";

/* The numbers that a masked access loads or stores; NULL for other instructions. */
static LLVMValueRef accessed(LLVMValueRef instruction) {
  static const char *const loads[] = {"llvm.masked.load.", "llvm.masked.gather.",
                                      "llvm.masked.expandload."},
                           *const stores[] = {"llvm.masked.store.", "llvm.masked.scatter.",
                                              "llvm.masked.compressstore."};
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
    if (spgc_ir_is_intrinsic(instruction, loads[i]))
      return instruction;
  for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
    if (spgc_ir_is_intrinsic(instruction, stores[i]))
      return LLVMGetArgOperand(instruction, 0);
  return NULL;
}

static bool may_be_references(LLVMTargetDataRef data, LLVMValueRef instruction) {
  LLVMValueRef value = accessed(instruction);
  return value != NULL && !spgc_ir_type_contains_reference(LLVMTypeOf(value)) &&
         LLVMStoreSizeOfType(data, LLVMGetElementType(LLVMTypeOf(value))) >= WORD &&
         !spgc_access_is_of_number(instruction);
}

static LLVMValueRef opaque(LLVMValueRef intrinsic) {
  size_t length;
  char *name;
  spgc_require(asprintf(&name, PRELUDE_PREFIX "%s", LLVMGetValueName2(intrinsic, &length)) >= 0,
               "out of memory");
  LLVMModuleRef module = LLVMGetGlobalParent(intrinsic);
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  if (function == NULL) {
    function = LLVMAddFunction(module, name, LLVMGlobalGetValueType(intrinsic));
    spgc_declare_masked(function);
  }
  free(name);
  return function;
}

enum spgc_result spgc_hide_masked_words(struct lowering *lowering, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (may_be_references(data, instruction)) {
          lowering->hides_words = true;
          spgc_ir_call_set_callee(instruction, opaque(spgc_ir_callee(instruction)));
        }
  return SPGC_OK;
}

/* A function of an intrinsic's name is that intrinsic. */
static LLVMValueRef intrinsic_of(LLVMModuleRef module, LLVMValueRef function) {
  size_t length;
  const char *name = LLVMGetValueName2(function, &length) + strlen(PRELUDE_PREFIX);
  LLVMValueRef intrinsic = LLVMGetNamedFunction(module, name);
  return intrinsic != NULL ? intrinsic
                           : LLVMAddFunction(module, name, LLVMGlobalGetValueType(function));
}

enum spgc_result spgc_show_masked_words(struct lowering *lowering, struct spgc_error *error) {
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module), next; function != NULL;
       function = next) {
    next = LLVMGetNextFunction(function);
    if (!spgc_ir_name_starts_with(function, hidden))
      continue;
    LLVMValueRef intrinsic = intrinsic_of(lowering->module, function);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;)
      spgc_ir_call_set_callee(LLVMGetUser(use), intrinsic);
    LLVMDeleteFunction(function);
  }
  return SPGC_OK;
}
