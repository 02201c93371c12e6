#include "frontend-demo/emit/tree.h"
#include "frontend-demo/emit/unit.h"
#include "support/fatal.h"

struct operands {
  struct lox_value left;
  struct lox_value right;
};

static LLVMValueRef are_numbers(struct lox_emitter *emitter, struct operands operands) {
  LLVMValueRef left = lox_is_number(emitter, operands.left);
  LLVMValueRef right = lox_is_number(emitter, operands.right);
  return LLVMBuildAnd(emitter->builder, left, right, "");
}

static bool are_surely_numbers(struct operands operands) {
  return operands.left.kind == LOX_KIND_NUMBER && operands.right.kind == LOX_KIND_NUMBER;
}

static struct lox_value as_number(struct lox_emitter *emitter, struct lox_value value) {
  return value.kind == LOX_KIND_NUMBER ? value
                                       : lox_number(lox_convert(emitter, value, LOX_KIND_NUMBER));
}

static struct operands as_numbers(struct lox_emitter *emitter, struct operands operands) {
  return (struct operands){as_number(emitter, operands.left), as_number(emitter, operands.right)};
}

static struct operands require_numbers(struct lox_emitter *emitter, struct operands operands,
                                       int line) {
  if (are_surely_numbers(operands))
    return operands;
  LLVMBasicBlockRef error = lox_block(emitter, "operands.error");
  lox_guard(emitter, are_numbers(emitter, operands), error);
  LLVMBasicBlockRef numbers = lox_current_block(emitter);

  lox_enter(emitter, error);
  lox_call_error(emitter, line, LOX_ENTRY_ERROR_OPERANDS_NUMBERS, NULL);
  lox_enter(emitter, numbers);
  return as_numbers(emitter, operands);
}

static struct lox_value emit_arithmetic(struct lox_emitter *emitter, enum lox_operator op,
                                        struct operands operands, int line) {
  struct operands numbers = require_numbers(emitter, operands, line);
  LLVMValueRef a = numbers.left.llvm, b = numbers.right.llvm;
  switch (op) {
  case LOX_OP_SUBTRACT: return lox_number(LLVMBuildFSub(emitter->builder, a, b, ""));
  case LOX_OP_MULTIPLY: return lox_number(LLVMBuildFMul(emitter->builder, a, b, ""));
  case LOX_OP_DIVIDE: return lox_number(LLVMBuildFDiv(emitter->builder, a, b, ""));
  case LOX_OP_LESS: return lox_boolean(LLVMBuildFCmp(emitter->builder, LLVMRealOLT, a, b, ""));
  case LOX_OP_GREATER: return lox_boolean(LLVMBuildFCmp(emitter->builder, LLVMRealOGT, a, b, ""));
  case LOX_OP_LESS_EQUAL:
    return lox_boolean(LLVMBuildFCmp(emitter->builder, LLVMRealOLE, a, b, ""));
  case LOX_OP_GREATER_EQUAL:
    return lox_boolean(LLVMBuildFCmp(emitter->builder, LLVMRealOGE, a, b, ""));
  default: spgc_fatal("operator %d takes other operands than numbers", (int)op);
  }
}

static struct lox_value add_numbers(struct lox_emitter *emitter, struct operands numbers) {
  return lox_number(LLVMBuildFAdd(emitter->builder, numbers.left.llvm, numbers.right.llvm, ""));
}

static struct lox_value emit_add(struct lox_emitter *emitter, struct operands operands, int line) {
  if (are_surely_numbers(operands))
    return add_numbers(emitter, operands);
  bool is_number = operands.left.kind == LOX_KIND_NUMBER || operands.right.kind == LOX_KIND_NUMBER;
  LLVMBasicBlockRef slow = lox_block(emitter, "add.slow");
  LLVMBasicBlockRef done = lox_block(emitter, "add.done");

  lox_guard(emitter, are_numbers(emitter, operands), slow);
  struct lox_value sum = add_numbers(emitter, as_numbers(emitter, operands));
  LLVMValueRef boxed_sum = is_number ? sum.llvm : lox_box(emitter, sum);
  LLVMBasicBlockRef fast = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, slow);
  LLVMValueRef arguments[] = {lox_box(emitter, operands.left), lox_box(emitter, operands.right)};
  LLVMValueRef other = lox_call_runtime(emitter, line, LOX_ENTRY_ADD_SLOW, arguments);
  if (is_number) {
    /* A number and another kind: the call does not return. */
    LLVMBuildUnreachable(emitter->builder);
    lox_enter(emitter, done);
    return sum;
  }
  LLVMBasicBlockRef added = lox_current_block(emitter);
  lox_jump(emitter, done);
  lox_enter(emitter, done);
  return lox_any(lox_phi(emitter, boxed_sum, fast, other, added));
}

static LLVMValueRef are_identical(struct lox_emitter *emitter, struct operands operands) {
  LLVMValueRef left = lox_box(emitter, operands.left), right = lox_box(emitter, operands.right);
  return LLVMBuildICmp(emitter->builder, LLVMIntEQ, left, right, "");
}

/* At most one operand is a number. */
static LLVMValueRef emit_same(struct lox_emitter *emitter, struct operands operands) {
  LLVMValueRef identical = are_identical(emitter, operands);
  LLVMBasicBlockRef start = lox_current_block(emitter);
  LLVMBasicBlockRef different = lox_block(emitter, "different");
  LLVMBasicBlockRef compare = lox_block(emitter, "strings");
  LLVMBasicBlockRef done = lox_block(emitter, "same.done");
  lox_branch(emitter, identical, done, different);

  lox_enter(emitter, different);
  LLVMValueRef are_objects = LLVMBuildAnd(emitter->builder, lox_is_object(emitter, operands.left),
                                          lox_is_object(emitter, operands.right), "");
  lox_branch(emitter, are_objects, compare, done);

  lox_enter(emitter, compare);
  LLVMValueRef arguments[] = {lox_box(emitter, operands.left), lox_box(emitter, operands.right)};
  LLVMValueRef answer = lox_call_runtime(emitter, LOX_NO_LINE, LOX_ENTRY_STRINGS_EQUAL, arguments);
  LLVMValueRef equal =
      LLVMBuildICmp(emitter->builder, LLVMIntNE, answer, lox_abi_word(emitter->abi, 0), "");
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  LLVMValueRef yes = LLVMConstInt(emitter->abi->boolean, true, false);
  LLVMValueRef no = LLVMConstInt(emitter->abi->boolean, false, false);
  LLVMValueRef result = lox_phi(emitter, yes, start, no, different);
  LLVMAddIncoming(result, &equal, &compare, 1);
  return result;
}

static LLVMValueRef equal_numbers(struct lox_emitter *emitter, struct operands numbers) {
  return LLVMBuildFCmp(emitter->builder, LLVMRealOEQ, numbers.left.llvm, numbers.right.llvm, "");
}

static LLVMValueRef emit_equal(struct lox_emitter *emitter, struct operands operands) {
  if (are_surely_numbers(operands))
    return equal_numbers(emitter, operands);
  if (operands.left.is_unique || operands.right.is_unique)
    return are_identical(emitter, operands);
  LLVMBasicBlockRef other = lox_block(emitter, "equal.other");
  LLVMBasicBlockRef done = lox_block(emitter, "equal.done");

  /* A NaN differs from itself, and 0 equals -0. */
  lox_guard(emitter, are_numbers(emitter, operands), other);
  LLVMValueRef equal = equal_numbers(emitter, as_numbers(emitter, operands));
  LLVMBasicBlockRef from_numbers = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, other);
  LLVMValueRef same = emit_same(emitter, operands);
  LLVMBasicBlockRef from_other = lox_current_block(emitter);
  lox_jump(emitter, done);

  lox_enter(emitter, done);
  return lox_phi(emitter, equal, from_numbers, same, from_other);
}

struct lox_value lox_binary(struct lox_emitter *emitter, enum lox_operator op,
                            struct lox_value left, struct lox_value right, int line) {
  struct operands operands = {left, right};
  switch (op) {
  case LOX_OP_ADD: return emit_add(emitter, operands, line);
  case LOX_OP_EQUAL: return lox_boolean(emit_equal(emitter, operands));
  case LOX_OP_NOT_EQUAL:
    return lox_boolean(LLVMBuildNot(emitter->builder, emit_equal(emitter, operands), ""));
  default: return emit_arithmetic(emitter, op, operands, line);
  }
}

static struct lox_value emit_negate(struct lox_emitter *emitter, struct lox_value operand,
                                    int line) {
  if (operand.kind == LOX_KIND_NUMBER)
    return lox_number(LLVMBuildFNeg(emitter->builder, operand.llvm, ""));
  LLVMBasicBlockRef error = lox_block(emitter, "operand.error");
  lox_guard(emitter, lox_is_number(emitter, operand), error);
  LLVMBasicBlockRef number = lox_current_block(emitter);

  lox_enter(emitter, error);
  lox_call_error(emitter, line, LOX_ENTRY_ERROR_OPERAND_NUMBER, NULL);
  lox_enter(emitter, number);
  LLVMValueRef converted = lox_convert(emitter, operand, LOX_KIND_NUMBER);
  return lox_number(LLVMBuildFNeg(emitter->builder, converted, ""));
}

struct lox_value lox_unary(struct lox_emitter *emitter, enum lox_operator op,
                           struct lox_value operand, int line) {
  if (op == LOX_OP_NEGATE)
    return emit_negate(emitter, operand, line);
  return lox_boolean(LLVMBuildNot(emitter->builder, lox_is_truthy(emitter, operand), ""));
}
