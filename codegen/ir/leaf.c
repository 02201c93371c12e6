#include "codegen/ir/leaf.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/loops.h"

bool spgc_leaf_is_called_as_one(LLVMValueRef function) {
  if (spgc_ir_is_marked_leaf(function))
    return true;
  IR_EACH_USER (user, function) {
    if (spgc_ir_is_call(user) && spgc_ir_callee(user) == function && spgc_ir_call_is_leaf(user))
      return true;
  }
  return false;
}

static bool callee_may(struct reach *reach, LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee == NULL)
    return LLVMIsAInlineAsm(LLVMGetCalledValue(call)) == NULL;
  return !LLVMIsDeclaration(callee) && spgc_leaf_may(reach, callee);
}

bool spgc_leaf_may(struct reach *reach, LLVMValueRef function) {
  if (spgc_values_contain(&reach->with, function) || spgc_values_contain(&reach->path, function))
    return true;
  if (spgc_values_contain(&reach->without, function))
    return false;
  spgc_values_add(&reach->path, function);
  bool may = reach->holds(function);
  IR_EACH_INSTRUCTION_OF (instruction, function)
    may = may || (spgc_ir_is_call(instruction) && callee_may(reach, instruction));
  reach->path.count--;
  spgc_values_add(may ? &reach->with : &reach->without, function);
  return may;
}

void spgc_reach_free(struct reach *reach) {
  spgc_values_free(&reach->with);
  spgc_values_free(&reach->without);
  spgc_values_free(&reach->path);
}

static bool has_loop(LLVMValueRef function) {
  struct loops loops;
  spgc_loops_find(&loops, function);
  bool has = loops.loop_count + loops.irregular_count != 0;
  spgc_loops_free(&loops);
  return has;
}

void spgc_leaves_with_loops(LLVMModuleRef module, struct values *found) {
  struct reach loops = {.holds = has_loop};
  IR_EACH_FUNCTION (function, module)
    if (!LLVMIsDeclaration(function) && !spgc_ir_function_is_managed(function) &&
        spgc_leaf_is_called_as_one(function) && spgc_leaf_may(&loops, function))
      spgc_values_add(found, function);
  spgc_reach_free(&loops);
}
