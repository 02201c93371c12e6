#include "codegen/ir/leaf.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/loops.h"

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
  if (callee == NULL)
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
  IR_EACH_INSTRUCTION_OF (instruction, function)
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
