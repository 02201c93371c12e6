#include "codegen/ir/leaf.h"

#include <string.h>

#include "codegen/ir/access_type.h"
#include "codegen/ir/address_use.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/library.h"
#include "codegen/ir/linkage.h"
#include "codegen/ir/loops.h"
#include "codegen/ir/prelude.h"

bool spgc_leaf_is_called_as_one(LLVMValueRef function) {
  if (spgc_ir_function_is_leaf(function))
    return true;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (spgc_ir_is_call(user) && spgc_ir_callee(user) == function && spgc_ir_call_is_leaf(user))
      return true;
  }
  return false;
}

static bool has_cycle(LLVMValueRef function) {
  struct loops loops;
  spgc_loops_find(&loops, function);
  bool has = loops.loop_count + loops.irregular_count != 0;
  spgc_loops_free(&loops);
  return has;
}

static bool callee_may_cycle(struct cycles *cycles, LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee == NULL || LLVMIsAFunction(callee) == NULL)
    return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) == NULL;
  return !LLVMIsDeclaration(callee) && spgc_leaf_may_cycle(cycles, callee);
}

bool spgc_leaf_may_cycle(struct cycles *cycles, LLVMValueRef function) {
  if (spgc_values_contain(&cycles->with, function) || spgc_values_contain(&cycles->path, function))
    return true;
  if (spgc_values_contain(&cycles->without, function))
    return false;
  spgc_values_add(&cycles->path, function);
  bool may = has_cycle(function);
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      may = may || (spgc_ir_is_call(instruction) && callee_may_cycle(cycles, instruction));
  cycles->path.count--;
  spgc_values_add(may ? &cycles->with : &cycles->without, function);
  return may;
}

void spgc_cycles_free(struct cycles *cycles) {
  spgc_values_free(&cycles->with);
  spgc_values_free(&cycles->without);
  spgc_values_free(&cycles->path);
}

enum { WORD_BITS = 64 };

static bool has_room_for_address(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMVoidTypeKind:
  case LLVMFloatTypeKind:
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind: return false;
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) >= WORD_BITS;
  default: return !spgc_ir_type_is_reference(type) && !spgc_ir_type_is_reference_vector(type);
  }
}

static bool is_number(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) != LLVMVoidTypeKind && !spgc_ir_type_is_reference(type) &&
         !spgc_ir_type_is_reference_vector(type);
}

static bool takes_pointer(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, i));
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind || spgc_ir_type_contains_reference(type))
      return true;
  }
  return false;
}

/* True for a word that is read as a number, from memory that others write, too. */
static bool reads_word(LLVMValueRef instruction) {
  return LLVMIsALoadInst(instruction) != NULL && has_room_for_address(LLVMTypeOf(instruction)) &&
         !spgc_access_is_of_number(instruction) && !spgc_access_is_of_pointer(instruction) &&
         spgc_ir_underlying_alloca(LLVMGetOperand(instruction, 0)) == NULL;
}

/* True unless the body shows that no address becomes a number in it. All that makes one of it was
 * hidden in calls. */
static bool may_read_address(LLVMValueRef function) {
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (reads_word(instruction) ||
          (spgc_ir_is_call(instruction) && !spgc_ir_is_any_intrinsic(instruction)))
        return true;
  return false;
}

/* The runtime's leaves, and those of the C library, tell nothing of addresses. */
static bool is_leaf_of_program(LLVMValueRef call) {
  if (!spgc_ir_is_call(call) || !spgc_ir_call_is_leaf(call) || spgc_ir_is_any_intrinsic(call))
    return false;
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee == NULL || (!spgc_ir_name_starts_with(callee, PRELUDE_PREFIX) &&
                            !spgc_ir_name_starts_with(callee, "spgc_") &&
                            !spgc_ir_is_reader_of_library(callee));
}

static bool touches_no_memory(LLVMValueRef call) {
  unsigned memory = LLVMGetEnumAttributeKindForName("memory", strlen("memory"));
  LLVMValueRef callee = spgc_ir_callee(call);
  LLVMAttributeRef of_call = LLVMGetCallSiteEnumAttribute(call, IR_ON_FUNCTION, memory);
  LLVMAttributeRef of_callee = callee != NULL && LLVMIsAFunction(callee) != NULL
                                   ? LLVMGetEnumAttributeAtIndex(callee, IR_ON_FUNCTION, memory)
                                   : NULL;
  return (of_call != NULL && LLVMGetEnumAttributeValue(of_call) == 0) ||
         (of_callee != NULL && LLVMGetEnumAttributeValue(of_callee) == 0);
}

static bool gets_at_addresses(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee != NULL && LLVMIsAFunction(callee) != NULL && spgc_ir_is_definitive(callee))
    return may_read_address(callee);
  return takes_pointer(call) || !touches_no_memory(call);
}

bool spgc_leaf_tells_address(LLVMValueRef call) {
  return is_leaf_of_program(call) && is_number(LLVMTypeOf(call)) && gets_at_addresses(call);
}

/* True if it is only added to references: places in an object stay where they are in it. */
static bool is_offset(LLVMValueRef number) {
  for (LLVMUseRef use = LLVMGetFirstUse(number); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAGetElementPtrInst(user) == NULL || !spgc_ir_is_reference(LLVMGetOperand(user, 0)) ||
        LLVMIsConstant(LLVMGetOperand(user, 0)))
      return false;
  }
  return true;
}

bool spgc_leaf_gives_address(LLVMValueRef call) {
  if (!spgc_leaf_tells_address(call) || is_offset(call))
    return false;
  return LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind ||
         !spgc_address_uses_survive_moving(call);
}

/* True if the argument is memory of the program that the callee may write. */
static bool may_be_written(LLVMValueRef call, unsigned argument) {
  LLVMValueRef value = LLVMGetArgOperand(call, argument), callee = spgc_ir_callee(call);
  unsigned readonly = LLVMGetEnumAttributeKindForName("readonly", strlen("readonly"));
  if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind || spgc_ir_is_reference(value) ||
      LLVMIsConstant(value))
    return false;
  return LLVMGetCallSiteEnumAttribute(call, argument + 1, readonly) == NULL &&
         (callee == NULL || LLVMIsAFunction(callee) == NULL ||
          LLVMGetEnumAttributeAtIndex(callee, argument + 1, readonly) == NULL);
}

bool spgc_leaf_may_store_address(LLVMValueRef call) {
  if (!is_leaf_of_program(call) || !gets_at_addresses(call))
    return false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (may_be_written(call, i))
      return true;
  return false;
}
