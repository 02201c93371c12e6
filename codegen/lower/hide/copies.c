/* The optimiser turns a short memcpy into a load and a store of an integer, which does not follow a
 * moved object, and shortens longer copies whose ends are overwritten. So while it runs, a copy of
 * memory that may hold references calls an opaque function, named after the intrinsic with the
 * prelude's prefix. The function declares where it reads and writes, and claims to write what a
 * safepoint writes, which keeps it on its side of every safepoint. Copies to and from local
 * variables without references are left to promotion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/check/refusal_place.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

static const char opaque[] = PRELUDE_PREFIX "llvm.mem";

static void hide(LLVMModuleRef module, LLVMValueRef transfer) {
  size_t length;
  char *name;
  LLVMValueRef callee = spgc_ir_callee(transfer);
  spgc_require(asprintf(&name, "%s%s", PRELUDE_PREFIX, LLVMGetValueName2(callee, &length)) >= 0,
               "out of memory");
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  if (function == NULL) {
    function = LLVMAddFunction(module, name, LLVMGlobalGetValueType(callee));
    spgc_declare_copy(function);
  }
  free(name);
  spgc_ir_call_set_callee(transfer, function);
}

/* Whether the pointer into a variable is only used to read and write there. Others, such as a
 * function inlined later, may not respect the variable's type. */
static bool is_private(LLVMValueRef pointer) {
  IR_EACH_USER (user, pointer) {
    bool is_address = LLVMIsALoadInst(user) != NULL ||
                      (LLVMIsAStoreInst(user) != NULL && LLVMGetOperand(user, 0) != pointer) ||
                      spgc_ir_is_transfer(user) || spgc_ir_is_any_intrinsic(user);
    if (!is_address && (LLVMIsAGetElementPtrInst(user) == NULL || !is_private(user)))
      return false;
  }
  return true;
}

static bool is_local(LLVMValueRef pointer) {
  LLVMValueRef variable = spgc_ir_is_reference(pointer) ? NULL : spgc_ir_underlying_alloca(pointer);
  return variable != NULL && !spgc_ir_type_contains_reference(LLVMGetAllocatedType(variable)) &&
         is_private(variable);
}

static bool is_at_most(LLVMValueRef transfer, uint64_t bytes) {
  LLVMValueRef length = LLVMGetOperand(transfer, IR_COPY_LENGTH);
  return LLVMIsAConstantInt(length) != NULL && LLVMConstIntGetZExtValue(length) <= bytes;
}

static bool may_move_references(LLVMValueRef transfer) {
  return !is_at_most(transfer, IR_WORD - 1) &&
         !is_local(LLVMGetOperand(transfer, IR_COPY_DESTINATION)) &&
         !is_local(LLVMGetOperand(transfer, IR_COPY_SOURCE));
}

/* References would get past the load barrier. */
static enum spgc_result check_copied(const struct lowering *lowering, LLVMValueRef transfer,
                                     struct spgc_error *error) {
  static const struct objection copied = {
      54, "the copy may move references without the load barrier",
      "load and store each reference; copy bytes by a leaf function of your runtime"};
  bool reads_object = spgc_ir_is_reference(LLVMGetOperand(transfer, IR_COPY_SOURCE));
  return lowering->options->load_barrier != NULL && reads_object
             ? spgc_reject(transfer, NULL, &copied, error)
             : SPGC_OK;
}

/* An element-wise copy is a safepoint, unless it is a leaf. A copy of one word can be. */
static void make_short_copy_leaf(LLVMValueRef transfer) {
  if (spgc_ir_is_element_copy(transfer) && !spgc_ir_call_is_leaf(transfer) &&
      is_at_most(transfer, IR_WORD))
    spgc_ir_add_string(transfer, "gc-leaf-function");
}

/* Leaves also have references. */
static bool has_references(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module)
    if (spgc_ir_function_is_managed(function) || spgc_ir_function_uses_references(function))
      return true;
  return false;
}

/* Local variables are values by now, as far as possible. A function without references may copy
 * them through its pointers, and be inlined into code with safepoints. */
enum spgc_result spgc_hide_copies(struct lowering *lowering, struct spgc_error *error) {
  if (!has_references(lowering->module))
    return SPGC_OK;
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_INSTRUCTION_OF (instruction, function) {
      if (!spgc_ir_is_memory_transfer(instruction))
        continue;
      make_short_copy_leaf(instruction);
      if (!spgc_ir_call_is_leaf(instruction) || !may_move_references(instruction))
        continue;
      if (check_copied(lowering, instruction, error) != SPGC_OK)
        return SPGC_ERROR_REJECTED;
      hide(lowering->module, instruction);
    }
  return SPGC_OK;
}

/* A function of an intrinsic's name is that intrinsic. */
static void show_all(LLVMModuleRef module, LLVMValueRef function) {
  size_t length;
  const char *name = LLVMGetValueName2(function, &length) + strlen(PRELUDE_PREFIX);
  LLVMValueRef intrinsic = LLVMGetNamedFunction(module, name);
  if (intrinsic == NULL)
    intrinsic = LLVMAddFunction(module, name, LLVMGlobalGetValueType(function));
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;)
    spgc_ir_call_set_callee(LLVMGetUser(use), intrinsic);
  LLVMDeleteFunction(function);
}

enum spgc_result spgc_show_copies(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_name_starts_with(function, opaque))
      show_all(lowering->module, function);
  return SPGC_OK;
}
